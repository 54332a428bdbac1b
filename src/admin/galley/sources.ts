import type { Issue } from "../../config/issue.ts";
import { json, type Route } from "../route.ts";

/** The report of one source, for people and scripts. */
export interface SourceReport {
  readonly name: string;
  /** `stale`: the source cannot follow its input, and its last objects stay. */
  readonly state: "stopped" | "syncing" | "synced" | "stale";
  /** Why it is stale, and since when. */
  readonly reason?: string;
  readonly staleSince?: Date;
  /** Whether the server is not ready before this source has synced. */
  readonly holdsUp: boolean;
  /** Whether the wait for this source has a time limit. */
  readonly optional: boolean;
  /** When the source last sent an event. */
  readonly lastHeard?: Date;
  readonly syncs: number;
  readonly errors: number;
  /** Objects that do not fit into memory. */
  readonly leftOut: number;
  /** Its objects by collection. `lost` counts objects that an earlier source has, too. */
  readonly collections: readonly { readonly collection: string; readonly objects: number; readonly lost: number }[];
  /** Objects of this source that sources before or after it have, too. */
  readonly wins: readonly SharedObject[];
  readonly loses: readonly SharedObject[];
  readonly issues: readonly Issue[];
}

export interface SharedObject {
  readonly collection: string;
  readonly key: string;
  /** The source whose object is used. */
  readonly winner: string;
}

export function sourcesPage(state: { readonly sources: () => readonly SourceReport[] }): Route {
  return {
    path: "/debug/sources",
    doc: "all sources in order of precedence, with their state, their objects, and the objects that lose a name clash",
    // It says which objects a full server has left out.
    vital: true,
    answer: () => json(state.sources()),
  };
}
