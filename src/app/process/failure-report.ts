import { assert } from "../../lib/assert.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SupervisorOptions } from "../../lib/supervisor.ts";

/** The destinations of a report. */
export interface FailureDestinations {
  readonly logger: Pick<Logger, "error">;
  readonly failures: { inc(labels: { readonly part: string }): void };
}

/**
 * Reports each failure of a supervised part with a counter and a log line. The log and the metrics are supervised
 * themselves, so they are attached after the supervisor is built and before it runs a part.
 */
export class FailureReport {
  #destinations: FailureDestinations | undefined;

  /** For the supervisor. */
  readonly onFailure: SupervisorOptions["onFailure"] = (part, error, facts) => {
    assert(this.#destinations !== undefined, "the log and the metrics are attached before a part runs");
    const { logger, failures } = this.#destinations;
    failures.inc({ part });
    logger.error({ ...facts, part, err: error }, "part failed, other parts continue");
  };

  attachDestinations(destinations: FailureDestinations): void {
    assert(this.#destinations === undefined, "the log and the metrics are attached once");
    this.#destinations = destinations;
  }
}
