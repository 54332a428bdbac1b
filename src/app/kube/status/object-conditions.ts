import type { StatusCondition } from "../../../config/analysis/status-condition.ts";
import type { ConfigId } from "../../../config/config.ts";
import type { Kind } from "../../../config/kind.ts";
import { cutText } from "../../../lib/cut-text.ts";
import { kindNameOf, nameOf, namespaceOf } from "../../../pilot/model/config-id.ts";
import { objectText } from "../../store/object-id.ts";
import type { WantedStatus } from "./wanted-status.ts";

/** A condition that an object should have. */
export interface ObjectCondition {
  readonly object: ConfigId;
  /** Undefined if the object is gone. */
  readonly source: string | undefined;
  readonly condition: StatusCondition;
}

/** Gives the conditions of objects, and a notice of changes. */
export interface ConditionFeed {
  readonly conditions: () => readonly ObjectCondition[];
  readonly listen: (listener: () => void) => void;
}

/** Kubernetes allows 32 768 characters. The words of a proxy can be longer, and objects must not grow without need. */
const maxLength = 4_096;

/** The wanted statuses, with the conditions of objects of these kinds. */
export function withConditions(
  wanted: ReadonlyMap<string, WantedStatus>,
  given: readonly ObjectCondition[],
  kinds: readonly Kind[],
): ReadonlyMap<string, WantedStatus> {
  const all = new Map(wanted);
  for (const [id, group] of Map.groupBy(given, ({ object }) => object)) {
    const kind = kinds.find((each) => each.kind === kindNameOf(id));
    if (kind === undefined) continue;
    const object = { kind, namespace: namespaceOf(id), name: nameOf(id) };
    const key = objectText(object);
    const { messages = [], version } = wanted.get(key) ?? {};
    const conditions = group.map(({ condition }) => ({ ...condition, message: cutText(condition.message, maxLength) }));
    all.set(key, { object, messages, version, conditions });
  }
  return all;
}
