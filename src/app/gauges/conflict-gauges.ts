import type { Metrics } from "../../admin/metrics/metrics.ts";
import type { Conflict, ConflictType } from "../../pilot/model/conflict.ts";
import { countBy } from "./count-by.ts";

/** Where Istio counts the same, under its names. */
const istioGauges: readonly { readonly name: string; readonly help: string; readonly type: ConflictType }[] = [
  {
    name: "pilot_conflict_inbound_listener",
    help: "Conflicting inbound listeners: ports of a workload on which services disagree.",
    type: "inbound-listener",
  },
  {
    name: "pilot_conflict_outbound_listener_tcp_over_current_tcp",
    help: "Conflicting outbound listeners: services share an address and a port, and only one gets the listener.",
    type: "outbound-listener",
  },
  {
    name: "pilot_vservice_dup_domain",
    help: "Hosts with routes in more than one VirtualService.",
    type: "virtual-host",
  },
  {
    name: "pilot_destrule_subsets",
    help: "Subsets that more than one DestinationRule defines for the same host.",
    type: "subset",
  },
];

/** @param conflicts as they are known now */
export function installConflictGauges(metrics: Metrics, conflicts: () => readonly Conflict[]): void {
  for (const { name, help, type } of istioGauges) {
    metrics.gauge(name, help, () => conflicts().filter((conflict) => conflict.type === type).length);
  }
  metrics.observe({
    type: "gauge",
    name: "binnacle_conflicts",
    help: "Conflicts between objects, by type. One object wins each conflict.",
    labels: ["type"],
    values: () => countBy(conflicts(), ({ type }) => type).map(([type, count]) => [{ type }, count]),
  });
}
