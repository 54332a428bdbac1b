import type { StagedChange, StagedObject } from "../../registry/rollout/staged-change.ts";

/**
 * - `started`, `changed`, `withdrawn`: the objects of the change were edited.
 * - `wave`: a wave began. `acknowledged`: its proxies have accepted the change.
 * - `gate`: the query answers otherwise than before.
 * - `paused`, `resumed`, `aborted`, `promoted`: somebody commanded it.
 * - `halted`: a wave failed. `finished`: all proxies get the change.
 */
export type RolloutEventType =
  | "started"
  | "changed"
  | "wave"
  | "acknowledged"
  | "gate"
  | "paused"
  | "resumed"
  | "halted"
  | "aborted"
  | "promoted"
  | "finished"
  | "withdrawn";

/** The cause of an event, and its reason. */
export interface Told {
  /** A source or author of objects, a proxy, the gate, an operator, or another replica. Empty for the server itself. */
  readonly by: string;
  readonly reason: string;
}

export const untold: Told = { by: "", reason: "" };

export interface RolloutEvent extends Told {
  readonly type: RolloutEventType;
  /** In the clock's milliseconds. */
  readonly at: number;
  readonly wave: number;
  /** The connected proxies that have the change then. */
  readonly proxies: number;
}

const maxEvents = 100;

/** The timeline with a further event. Of a long timeline the beginning and the newest events stay. */
export function withEvent(events: readonly RolloutEvent[], event: RolloutEvent): readonly RolloutEvent[] {
  const all = [...events, event];
  return all.length <= maxEvents ? all : [...all.slice(0, 1), ...all.slice(1 - maxEvents)];
}

/** The editor of a change: the author of the first object, if its source knows, or the source. */
export function editOf({ objects }: StagedChange): Told {
  const [first] = objects.values();
  const origin = first && versionOf(first)?.origin;
  const more = objects.size > 1 ? ` and ${objects.size - 1} more` : "";
  const place = origin === undefined ? "" : ` (${origin.reference})`;
  return { by: origin?.author ?? origin?.source ?? "", reason: `${first?.id ?? "no object"}${place}${more}` };
}

function versionOf({ next, stable }: StagedObject) {
  return next ?? stable;
}
