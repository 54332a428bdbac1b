import { Backoff } from "./backoff.ts";
import type { Cancel, Clock } from "./clock.ts";

export interface RedialOptions {
  readonly clock: Clock;
  /** From 0 to 1: many that lose one server should not come back together. */
  readonly random: () => number;
  /** Opens another stream. */
  readonly dial: () => void;
}

/**
 * When the other side of a stream is dialled again: after a pause that grows with every attempt in a row, whatever made
 * it fail. Only what the other side has to say shows that it works, not that it takes the stream.
 */
export class Redial {
  readonly #options: RedialOptions;
  readonly #backoff: Backoff;
  #cancel: Cancel | undefined;

  constructor(options: RedialOptions) {
    this.#options = options;
    const { random } = options;
    this.#backoff = new Backoff({ firstMs: 500, lastMs: 30_000, factor: 1.6, jitter: { share: 0.2, random } });
  }

  /** After a pause. */
  later(): void {
    const pauseMs = this.#backoff.next();
    this.#cancel ??= this.#options.clock.after(pauseMs, () => this.#dial());
  }

  /** At once, if a pause is going on. */
  hurry(): void {
    if (this.#cancel !== undefined) this.#dial();
  }

  /** It works: the next pause is a first one. */
  worked(): void {
    this.#backoff.reset();
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
