import type { Metrics } from "./metrics.ts";

/** Metrics of analysis results in the status of objects. */
export class StatusMetrics {
  readonly writes;

  constructor(metrics: Metrics) {
    this.writes = metrics.counter(
      "binnacle_status_writes_total",
      "What became of the status of objects that analysis has, or had, something to say of: `written` and `removed` are calls that changed something.",
      "result",
    );
  }
}
