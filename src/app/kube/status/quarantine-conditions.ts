import type { QuarantinedObject } from "../../../admin/pilot/quarantine.ts";
import { refusalText } from "../../../admin/pilot/refusal-text.ts";
import { quarantinedType, type StatusCondition } from "../../../config/analysis/status-condition.ts";
import type { Kind } from "../../../config/kind.ts";
import { cutText } from "../../../lib/cut-text.ts";
import { kindNameOf, nameOf, namespaceOf } from "../../../pilot/model/config-id.ts";
import { objectText } from "../../store/object-id.ts";
import type { WantedStatus } from "./wanted-status.ts";

/** Kubernetes allows 32 768 characters. The words of a proxy can be longer, and objects must not grow without need. */
const maxLength = 4_096;

/** The wanted statuses, with a condition for each quarantined object of these kinds. */
export function withConditions(
  wanted: ReadonlyMap<string, WantedStatus>,
  quarantined: readonly QuarantinedObject[],
  kinds: readonly Kind[],
): ReadonlyMap<string, WantedStatus> {
  const all = new Map(wanted);
  for (const [id, refusals] of Map.groupBy(quarantined, ({ object }) => object)) {
    const kind = kinds.find((each) => each.kind === kindNameOf(id));
    if (kind === undefined) continue;
    const object = { kind, namespace: namespaceOf(id), name: nameOf(id) };
    const key = objectText(object);
    const { messages = [], version } = wanted.get(key) ?? {};
    all.set(key, { object, messages, version, condition: conditionOf(refusals) });
  }
  return all;
}

function conditionOf(refusals: readonly QuarantinedObject[]): StatusCondition {
  const [lastTransitionTime = ""] = refusals.map(({ since }) => since).toSorted();
  return {
    type: quarantinedType,
    status: "True",
    reason: "RefusedByProxies",
    message: cutText(refusals.map(refusalText).join("\n"), maxLength),
    lastTransitionTime,
  };
}
