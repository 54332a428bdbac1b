import type { Metrics } from "../../admin/metrics/metrics.ts";

/** Counts the stalls that the watchdog saw. They appear when the main thread continues. */
export function installStallGauge(metrics: Metrics, stalls: () => number): void {
  metrics.observe({
    type: "counter",
    name: "binnacle_main_thread_stalls_total",
    help: "Times that the main thread made no progress for --watchdog. The log has its stack.",
    values: () => [[{}, stalls()]],
  });
}
