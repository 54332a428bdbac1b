import { type Message, originOf, type Subject } from "../../../config/analysis/message.ts";
import { inOrder } from "../../../config/analysis/order.ts";
import { type StatusMessage, statusMessages } from "../../../config/analysis/status-messages.ts";
import { isSuppressed } from "../../../config/analysis/suppression.ts";
import type { Kind } from "../../../config/kind.ts";
import type { ObjectId } from "../../store/object-id.ts";

/** What the status of an object should say. */
export interface WantedStatus {
  readonly object: ObjectId;
  readonly messages: readonly StatusMessage[];
  /** The version that was looked at; undefined for an object that could not be read, and so has none. */
  readonly version: string | undefined;
}

/** What objects of these kinds should say of themselves, by `Kind namespace/name`. Others have nothing to say. */
export function wantedStatus(messages: readonly Message[], kinds: readonly Kind[]): ReadonlyMap<string, WantedStatus> {
  const groups = Map.groupBy(inOrder(messages.filter((message) => !isSuppressed(message, []))), (message) =>
    originOf(message),
  );
  const wanted = new Map<string, WantedStatus>();
  for (const [key, group] of groups) {
    const object = objectOf(group[0]?.subject, kinds);
    if (object === undefined) continue;
    const about = aboutWhatIsThere(group);
    const version = about.find(({ subject }) => subject?.version !== undefined)?.subject?.version;
    wanted.set(key, { object, messages: statusMessages(about), version });
  }
  return wanted;
}

/**
 * Of an object that cannot be read analysis sees the last version that could be. What is in the cluster has those
 * errors only that keep it from being read, and they know of no version.
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
