/**
 * Waits for a failure that no part owns: a throw in a callback, or an unhandled rejection. Such a failure is a bug in
 * the pipeline. The graph may be inconsistent afterwards, so the process cannot continue. The first failure leads to an
 * orderly end; a second one ends the process at once.
 */
export class Crash implements Disposable {
  /** Resolves with the first failure. */
  readonly happened: Promise<unknown>;
  readonly #listener: (thrown: unknown) => void;

  /** `giveUp` ends the process when there is a second failure. */
  constructor(giveUp: (thrown: unknown) => void) {
    const { promise, resolve } = Promise.withResolvers<{ readonly thrown: unknown }>();
    this.happened = promise.then(({ thrown }) => thrown);
    let isFirst = true;
    this.#listener = (thrown) => {
      if (!isFirst) giveUp(thrown);
      isFirst = false;
      resolve({ thrown });
    };
    process.on("uncaughtException", this.#listener).on("unhandledRejection", this.#listener);
  }

  [Symbol.dispose](): void {
    process.off("uncaughtException", this.#listener).off("unhandledRejection", this.#listener);
  }
}
