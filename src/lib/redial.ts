import type { Cancel, Clock } from "./clock.ts";

export interface RedialOptions {
  readonly clock: Clock;
  /** From 0 to 1: many that lose one server should not come back together. */
  readonly random: () => number;
  /** Opens another stream. */
  readonly dial: () => void;
}

const firstPauseMs = 500;
const factor = 1.6;
const jitter = 0.2;
const lastPauseMs = 30_000;

/**
 * When the other side of a stream is dialled again: after a pause that grows with every attempt in a row, whatever made
 * it fail. Only what the other side has to say shows that it works, not that it takes the stream.
 */
export class Redial {
  readonly #options: RedialOptions;
  #pauseMs = firstPauseMs;
  #cancel: Cancel | undefined;

  constructor(options: RedialOptions) {
    this.#options = options;
  }

  /** After a pause. */
  later(): void {
    const { clock, random } = this.#options;
    const pauseMs = Math.round(this.#pauseMs * (1 - jitter + 2 * jitter * random()));
    this.#pauseMs = Math.min(this.#pauseMs * factor, lastPauseMs);
    this.#cancel ??= clock.after(pauseMs, () => this.#dial());
  }

  /** At once, if a pause is going on. */
  hurry(): void {
    if (this.#cancel !== undefined) this.#dial();
  }

  /** It works: the next pause is a first one. */
  worked(): void {
    this.#pauseMs = firstPauseMs;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #dial(): void {
    this.stop();
    this.#options.dial();
  }
}
