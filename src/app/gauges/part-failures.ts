import type { Metrics } from "../../admin/metrics/metrics.ts";

/** Counts what the supervisor reports. */
export function partFailures(metrics: Metrics) {
  const name = "binnacle_part_failures_total";
  return metrics.counter(
    name,
    "Failures of parts that no proxy waits for. The log has each failure with its stack.",
    "part",
  );
}
