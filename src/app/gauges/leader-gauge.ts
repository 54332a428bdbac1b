import type { Metrics } from "../../admin/metrics/metrics.ts";
import { oncePer } from "../../lib/memo.ts";

/** The elections of one process: whether this process leads, by the name of the Lease. */
export const electionsOf = oncePer((metrics: Metrics): Map<string, () => boolean> => {
  const elections = new Map<string, () => boolean>();
  metrics.observe({
    type: "gauge",
    name: "binnacle_leader",
    help: "1 if this process leads, by Lease. Each Lease has one leader among all replicas.",
    labels: ["lease"],
    values: () => Array.from(elections, ([lease, leads]) => [{ lease }, leads() ? 1 : 0] as const),
  });
  return elections;
});
