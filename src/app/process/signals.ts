export interface SignalOptions {
  /** For SIGHUP, and SIGUSR1 as Galley has it. */
  readonly reload: () => void;
}

/**
 * Listens to the signals of a server. While it does, the process lives, even with every listener switched off. The
 * handler of SIGUSR1 also keeps Node from opening its inspector on that signal.
 */
export class Signals implements Disposable {
  /** Resolves with the first SIGTERM or SIGINT. A second signal ends the process at once, as without a handler. */
  readonly toldToStop: Promise<NodeJS.Signals>;
  readonly #reload: () => void;
  readonly #stop: (signal: NodeJS.Signals) => void;
  readonly #alive = setInterval(() => undefined, 2 ** 30);

  constructor({ reload }: SignalOptions) {
    const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
    this.toldToStop = promise;
    this.#reload = reload;
    this.#stop = (signal) => {
      this.#forgetStop();
      resolve(signal);
    };
    process.on("SIGTERM", this.#stop).on("SIGINT", this.#stop);
    process.on("SIGHUP", this.#reload).on("SIGUSR1", this.#reload);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#alive);
    this.#forgetStop();
    process.off("SIGHUP", this.#reload).off("SIGUSR1", this.#reload);
  }

  #forgetStop(): void {
    process.off("SIGTERM", this.#stop).off("SIGINT", this.#stop);
  }
}
