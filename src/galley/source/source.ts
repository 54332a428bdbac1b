import type { Config } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";

/** What a source says. Collections are those of the kind table (`config/kinds.ts`). */
export type SourceEvent =
  | { readonly type: "upserted"; readonly collection: string; readonly config: Config }
  | { readonly type: "deleted"; readonly collection: string; readonly key: string }
  /** Everything that was there when the source started has been said, for this collection. */
  | { readonly type: "fullSync"; readonly collection: string }
  /** The source lost track: it will say everything again, and what it does not say again is gone. */
  | { readonly type: "reset" }
  /** Nobody need wait for this source any longer: what it has told completely so far counts as all it has. */
  | { readonly type: "overdue" }
  /** It cannot follow what it reads from: all it said so far stays, and may be out of date. Sources go on trying. */
  | { readonly type: "stale"; readonly reason: string }
  /** It follows again, and has said what it missed meanwhile. A source that was never stale need not say it. */
  | { readonly type: "fresh" }
  /** What is wrong with one part of the source (a file, a node) now; an empty list clears it. */
  | { readonly type: "issues"; readonly part: string; readonly issues: readonly Issue[] };

/** Takes what belongs together in one call: the events of one list are applied as one batch. */
export type SourceHandler = (events: readonly SourceEvent[]) => void;

/**
 * Where configuration comes from. The conformance suite `describeSource` states the contract:
 * `start` and `stop` may be repeated and are idempotent; each start replays the full state and ends it with one
 * `fullSync` per collection, also for collections that are empty; no event comes before `start` or after `stop`
 * has resolved; events of one object come in order; an object whose kind is not in `collections` is reported as an
 * issue and otherwise ignored.
 */
export interface Source {
  /** Unique within the process, as the user wrote it: `file:./mesh`. */
  readonly name: string;
  /** The collections it may fill. */
  readonly collections: readonly string[];
  /** Rejects when the source cannot exist at all (a directory that is not there), never for bad content. */
  start(handler: SourceHandler): Promise<void>;
  stop(): Promise<void>;
  /** Looks now, without waiting for a change to be noticed; absent where none can be missed. */
  reload?(): Promise<void>;
  /** Resolves when everything noticed so far has been handed over. Tests wait on it instead of sleeping. */
  idle(): Promise<void>;
}
