import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";

const pauseMs = 60_000;

/** Logs lines that any client can cause, at most one per minute. Each line has the number of folded lines. */
export class FoldedLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #mayWriteAt = Number.NEGATIVE_INFINITY;
  #folded = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  warn(fields: object, message: string): void {
    if (this.#clock.now() < this.#mayWriteAt) {
      this.#folded += 1;
      return;
    }
    const folded = this.#folded;
    this.#folded = 0;
    this.#mayWriteAt = this.#clock.now() + pauseMs;
    this.#logger.warn(folded === 0 ? fields : { ...fields, folded }, message);
  }
}
