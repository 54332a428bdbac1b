import { Backoff } from "./backoff.ts";
import type { Cancel, Clock } from "./clock.ts";

export interface RedialOptions {
  readonly clock: Clock;
  /** A random number from 0 to 1: clients that lose one server should not reconnect at the same time. */
  readonly random: () => number;
  /** Opens another stream. */
  readonly dial: () => void;
}

/**
 * Decides when to dial the other side of a stream again. The pause grows with every attempt in a row, whatever the
 * failure was. Only a message from the other side counts as success; an accepted stream does not.
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

  /** Dials after a pause. */
  later(): void {
    const pauseMs = this.#backoff.next();
    this.#cancel ??= this.#options.clock.after(pauseMs, () => this.#dial());
  }

  /** Dials at once, if a pause is in progress. */
  hurry(): void {
    if (this.#cancel !== undefined) this.#dial();
  }

  /** After a success: the next pause is the first one again. */
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
