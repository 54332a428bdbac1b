import type { Metrics } from "../../admin/metrics/metrics.ts";

/** Which version does which of Istio's jobs in this process. */
export function installBuildGauge(metrics: Metrics, version: string, jobs: readonly string[]): void {
  metrics.observe({
    type: "gauge",
    name: "istio_build",
    help: "1 for each component of Istio that this process replaces.",
    labels: ["component", "tag"],
    values: () => jobs.map((job) => [{ component: job, tag: version }, 1]),
  });
}
