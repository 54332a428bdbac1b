import type { Metrics } from "../../admin/metrics/metrics.ts";

/** Counts the lines that the log lost, because the log itself cannot show them. */
export function installLogGauge(metrics: Metrics, dropped: () => number): void {
  metrics.observe({
    type: "counter",
    name: "binnacle_log_dropped_lines_total",
    help: "Lines of the log that were dropped, because their reader was stalled or the disk full",
    values: () => [[{}, dropped()]],
  });
}
