import type { Clock } from "../../../lib/time/clock.ts";

/** So many probes may follow each other at once: a search for eight objects among five thousand. */
const burst = 120;
/** After the burst, one probe in this time. */
const refillMs = 500;

/** Bounds the rate of probes of this server. A probe builds resources, and its proxy answers it. */
export class ProbeBudget {
  readonly #clock: Clock;
  /** When the budget would be full again. */
  #fullAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the next probe may leave. */
  take(): Promise<void> {
    const now = this.#clock.now();
    this.#fullAt = Math.max(this.#fullAt, now) + refillMs;
    const waitMs = this.#fullAt - now - burst * refillMs;
    if (waitMs <= 0) return Promise.resolve();
    return new Promise((resolve) => this.#clock.after(waitMs, resolve));
  }
}
