import type { Metrics } from "./metrics.ts";

/** Metrics of analysis results in the status of objects. */
export class StatusMetrics {
  readonly writes;

  constructor(metrics: Metrics) {
    this.writes = metrics.counter(
      "binnacle_status_writes_total",
      "Writes of analysis messages to the status of objects, by result. `written` and `removed` changed the object.",
      "result",
    );
  }
}
