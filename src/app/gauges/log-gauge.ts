import type { Metrics } from "../../admin/metrics/metrics.ts";

/** Counts the lines that the log lost, because the log itself cannot show them. */
export function installLogGauge(metrics: Metrics, dropped: () => number): void {
  metrics.observe({
    type: "counter",
    name: "binnacle_log_dropped_lines_total",
    help: "Log lines that were dropped because the reader stalled or the disk was full.",
    values: () => [[{}, dropped()]],
  });
}
