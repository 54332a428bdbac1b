import type { Config } from "../../config/config.ts";
import type { McpCollection } from "../collections.ts";
import type { Rejection } from "../observer.ts";

/** What one message means for what a sink holds of a collection. */
export interface SinkChange {
  readonly collection: McpCollection;
  /** The source's version of the whole collection, for people. */
  readonly systemVersion: string;
  /**
   * False: `objects` is all there is, also when there is none, and everything else is gone (except what `unreadable`
   * names). True: `removed` goes, then `objects` come.
   */
  readonly incremental: boolean;
  /** One per key. */
  readonly objects: readonly Config[];
  /** Keys (`configKey`) of objects that are gone. */
  readonly removed: readonly string[];
  /** Resources that came and cannot be read: an object that is held under such a name stays. */
  readonly unreadable: readonly Rejection[];
}

/** Takes changes, in order. */
export interface SinkUpdater {
  /**
   * Applies a change, all of it or, if it returns some, all but these objects: their names are told to the source. A
   * throw rejects everything, and the source says all of the collection again when something in it has changed.
   */
  apply(change: SinkChange): readonly Rejection[] | undefined | void;
}
