import { type QuarantinedObject, quarantinedObjects } from "../../admin/pilot/quarantine.ts";
import { refusalText } from "../../admin/pilot/refusal-text.ts";
import { quarantinedType, type StatusCondition } from "../../config/analysis/status-condition.ts";
import type { ConditionFeed } from "../kube/status/object-conditions.ts";
import { pilotStateOf } from "../parts/pilot-state.ts";

/** The conditions of quarantined objects. Those that other replicas found are among them. */
export function quarantineFeed(pilot: Parameters<typeof pilotStateOf>[0]): ConditionFeed {
  const state = pilotStateOf(pilot);
  return {
    conditions: () =>
      Array.from(
        Map.groupBy(quarantinedObjects(state), ({ object }) => object),
        ([object, refusals]) => {
          return { object, source: state.originOf(object)?.source, condition: quarantinedCondition(refusals) };
        },
      ),
    listen: (listener) => pilot.discovery.quarantine?.onRefusalsChanged(listener),
  };
}

/** A line per class that refuses the object. */
export function quarantinedCondition(refusals: readonly QuarantinedObject[]): StatusCondition {
  const [lastTransitionTime = ""] = refusals.map(({ since }) => since).toSorted();
  const message = refusals.map(refusalText).join("\n");
  return { type: quarantinedType, status: "True", reason: "RefusedByProxies", message, lastTransitionTime };
}
