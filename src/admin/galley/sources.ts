import type { Issue } from "../../config/issue.ts";
import { json, type Route } from "../route.ts";

/** One source, as people and scripts see it. */
export interface SourceReport {
  readonly name: string;
  /** `stale`: it cannot follow what it reads from, and all it said stays. */
  readonly state: "stopped" | "syncing" | "synced" | "stale";
  /** Why it is stale, and since when. */
  readonly reason?: string;
  readonly staleSince?: Date;
  /** Whether the server is not ready before it has synced. */
  readonly holdsUp: boolean;
  /** Whether it is waited for only so long. */
  readonly optional: boolean;
  /** When it last said something. */
  readonly lastHeard?: Date;
  readonly syncs: number;
  readonly errors: number;
  /** What it has, by collection: `lost` are those that a source before it has, too. */
  readonly collections: readonly { readonly collection: string; readonly objects: number; readonly lost: number }[];
  /** The objects that it has and others before it, or after it, have, too. */
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
    doc: "every source in order of precedence: its state, what it has, and what of that another one has before it",
    answer: () => json(state.sources()),
  };
}
