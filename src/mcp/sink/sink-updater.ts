import type { Config } from "../../config/config.ts";
import type { McpCollection } from "../collections.ts";
import type { RejectedResource } from "../mcp-observer.ts";

/** The effect of one message on a held collection. */
export interface SinkChange {
  readonly collection: McpCollection;
  /** The source's version of the whole collection, for people. */
  readonly systemVersion: string;
  /**
   * False: `objects` is the full state, possibly empty, and all other objects are gone, except those in `unreadable`.
   * True: `removed` goes first, then `objects` are added.
   */
  readonly incremental: boolean;
  /** One per key. */
  readonly objects: readonly Config[];
  /** Keys (`configKey`) of objects that are gone. */
  readonly removed: readonly string[];
  /** Received resources that cannot be read. A held object of such a name stays. */
  readonly unreadable: readonly RejectedResource[];
}

/** Receives changes, in order. */
export interface SinkUpdater {
  /**
   * Applies a change. Returns the objects that it rejects, whose names the source learns; all others are applied. A
   * throw rejects everything. Then the source sends the full collection after its next change.
   */
  apply(change: SinkChange): readonly RejectedResource[] | undefined | void;
}
