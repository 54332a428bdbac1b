import type { ReadStream } from "node:tty";

const ctrlC = "\x03";
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface EndingOptions {
  /** Where keys come from. */
  readonly input: ReadStream | undefined;
  readonly afterMs: number | undefined;
}

/** Waits for somebody to have seen enough: a key, a signal, or the time that was set. */
export class Ending implements Disposable {
  readonly #input: ReadStream | undefined;
  readonly #told = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #end = () => this.#told.abort();
  readonly #key = (key: Buffer) => (["q", ctrlC].includes(String(key)) ? this.#end() : undefined);

  constructor({ input, afterMs }: EndingOptions) {
    this.#input = input;
    if (afterMs !== undefined) this.#timer = setTimeout(this.#end, afterMs);
    for (const signal of signals) process.on(signal, this.#end);
    input?.setRawMode(true).on("data", this.#key);
  }

  get signal(): AbortSignal {
    return this.#told.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const signal of signals) process.off(signal, this.#end);
    this.#input?.off("data", this.#key).setRawMode(false).pause();
  }
}
