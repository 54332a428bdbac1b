import { type Message, type Subject, subjectText } from "../../../config/analysis/message.ts";
import { inOrder } from "../../../config/analysis/order.ts";
import { type StatusMessage, statusMessages } from "../../../config/analysis/status-messages.ts";
import type { StatusCondition } from "../../../config/analysis/status-condition.ts";
import { isSuppressed } from "../../../config/analysis/suppression.ts";
import type { Kind } from "../../../config/kind.ts";
import type { ObjectId } from "../../store/object-id.ts";

/** The messages that the status of an object should have. */
export interface WantedStatus {
  readonly object: ObjectId;
  readonly messages: readonly StatusMessage[];
  /** The version that was analyzed; undefined for an unreadable object, which has none. */
  readonly version: string | undefined;
  /** Of a quarantined object, and of one under a rollout. */
  readonly conditions: readonly StatusCondition[];
}

/** The wanted statuses of objects of these kinds, by `Kind namespace/name`. Other objects get no messages. */
export function wantedStatus(messages: readonly Message[], kinds: readonly Kind[]): ReadonlyMap<string, WantedStatus> {
  const groups = Map.groupBy(inOrder(messages.filter((message) => !isSuppressed(message, []))), (message) =>
    subjectText(message),
  );
  const wanted = new Map<string, WantedStatus>();
  for (const [key, group] of groups) {
    const object = objectOf(group[0]?.subject, kinds);
    if (object === undefined) continue;
    const about = aboutWhatIsThere(group);
    const version = about.find(({ subject }) => subject?.version !== undefined)?.subject?.version;
    wanted.set(key, { object, messages: statusMessages(about), version, conditions: [] });
  }
  return wanted;
}

/**
 * For an unreadable object, analysis sees its last readable version. The object in the cluster has only the errors that
 * make it unreadable, and these errors have no version.
 */
function aboutWhatIsThere(group: readonly Message[]): readonly Message[] {
  const unread = group.filter(({ subject }) => subject?.version === undefined);
  return unread.some(({ type }) => type.level === "Error") ? unread : group;
}

function objectOf(subject: Subject | undefined, kinds: readonly Kind[]): ObjectId | undefined {
  const kind = kinds.find((each) => each.kind === subject?.kind);
  if (subject === undefined || kind === undefined) return undefined;
  return { kind, namespace: subject.namespace, name: subject.name };
}
