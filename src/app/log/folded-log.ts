import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";

const pauseMs = 60_000;

/** Lines that a stranger can cause as often as it likes: one a minute, which says how many it stands for. */
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
    this.#logger.warn(this.#folded === 0 ? fields : { ...fields, folded: this.#folded }, message);
    this.#folded = 0;
    this.#mayWriteAt = this.#clock.now() + pauseMs;
  }
}
