import type { Logger } from "../../../lib/logger.ts";
import type { Outcome } from "./otlp-client.ts";

/** Warns once when a collector stops taking telemetry, and says once when it takes it again. */
export class ExportLog {
  readonly #logger: Logger;
  readonly #facts: object;
  #failing = false;

  constructor(logger: Logger, facts: object) {
    this.#logger = logger;
    this.#facts = facts;
  }

  note(outcome: Outcome): void {
    const failed = outcome.type !== "accepted" || outcome.rejected > 0;
    if (failed === this.#failing) return;
    this.#failing = failed;
    if (failed) this.#logger.warn({ ...this.#facts, reason: outcome.reason }, "telemetry not accepted");
    else this.#logger.info(this.#facts, "telemetry accepted again");
  }
}
