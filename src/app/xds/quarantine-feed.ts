import { quarantinedObjects } from "../../admin/pilot/quarantine.ts";
import type { QuarantineFeed } from "../kube/status/status-duty.ts";
import { pilotStateOf } from "../parts/pilot-state.ts";

/** The quarantined objects with their sources, for the status of objects. Those that other replicas found are among them. */
export function quarantineFeed(pilot: Parameters<typeof pilotStateOf>[0]): QuarantineFeed {
  const state = pilotStateOf(pilot);
  return {
    objects: () => quarantinedObjects(state).map((each) => ({ ...each, source: state.originOf(each.object)?.source })),
    listen: (listener) => pilot.discovery.quarantine?.onRefusalsChanged(listener),
  };
}
