import type { EventEmitter } from "node:events";
import type { ReadStream } from "node:tty";

const endingKeys: ReadonlySet<string> = new Set(["q", "\x03"]); // The second is Ctrl-C.
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface EndingOptions {
  /** Where keys come from, if from anywhere. */
  readonly input: ReadStream | undefined;
  /** Where the demo is written to. */
  readonly output: EventEmitter;
  readonly afterMs: number | undefined;
}

/** Waits until somebody has seen enough: a key, a signal, the time that was set, or a reader who went, as `head` does. */
export class EndOfDemo implements Disposable {
  readonly #input: ReadStream | undefined;
  readonly #told = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #end = () => this.#told.abort();
  readonly #press = (keys: Buffer) => {
    if (Array.from(String(keys)).some((key) => endingKeys.has(key))) this.#end();
  };

  constructor({ input, output, afterMs }: EndingOptions) {
    this.#input = input;
    if (afterMs !== undefined) this.#timer = setTimeout(this.#end, afterMs);
    for (const signal of signals) process.on(signal, this.#end);
    output.on("error", this.#end);
    input?.setRawMode(true).on("data", this.#press);
  }

  get signal(): AbortSignal {
    return this.#told.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const signal of signals) process.off(signal, this.#end);
    this.#input?.off("data", this.#press).setRawMode(false).pause();
  }
}
