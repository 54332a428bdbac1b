import type { Config } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";

/** The events of a source. Collections are those of the kind table (`config/kinds.ts`). */
export type SourceEvent =
  | { readonly type: "upserted"; readonly collection: string; readonly config: Config }
  | { readonly type: "deleted"; readonly collection: string; readonly key: string }
  /** The source has reported all initial objects of this collection. */
  | { readonly type: "fullSync"; readonly collection: string }
  /** The source lost track. It will report everything again, and objects that it does not repeat are gone. */
  | { readonly type: "reset" }
  /** Nothing needs to wait for this source any longer. Its complete collections so far count as all it has. */
  | { readonly type: "overdue" }
  /** The source cannot follow its origin. Its objects stay and may be out of date. The source keeps trying. */
  | { readonly type: "stale"; readonly reason: string }
  /**
   * The source follows its origin again and has reported the missed changes. A source that was never stale need not
   * send it.
   */
  | { readonly type: "fresh" }
  /** The current issues of one part of the source (a file, a node). An empty list clears them. */
  | { readonly type: "issues"; readonly part: string; readonly issues: readonly Issue[] };

/** Receives related events in one call: the events of one list are applied as one batch. */
export type SourceHandler = (events: readonly SourceEvent[]) => void;

/**
 * An origin of configuration. The conformance suite `describeSource` states the contract. `start` and `stop` may be
 * repeated and are idempotent. Each start replays the full state and ends it with one `fullSync` per collection, also
 * for empty ones. No event arrives before `start` or after `stop` has resolved. The events of one object arrive in
 * order. An object whose kind is not in `collections` is reported as an issue and otherwise ignored.
 */
export interface Source {
  /** Unique within the process, as the user wrote it: `file:./mesh`. */
  readonly name: string;
  /** The collections it may fill. */
  readonly collections: readonly string[];
  /** Rejects when the source cannot exist at all (such as a missing directory), never for bad content. */
  start(handler: SourceHandler): Promise<void>;
  stop(): Promise<void>;
  /** Reads now, without waiting for a change notification. Absent if no change can be missed. */
  reload?(): Promise<void>;
  /** Resolves when everything noticed so far has been reported. Tests wait on it instead of sleeping. */
  idle(): Promise<void>;
}
