import type { ChangedObject } from "./changes.ts";
import type { Shortened } from "./listing.ts";
import type { ValueDiff } from "./proxies.ts";

/** Objects that came into force together, in the log that `--history` keeps. */
export interface HistoryMoment {
  /** A later moment has a larger number. */
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  /** `start`: what changed while no server ran. `gap`: changes that the log has lost. */
  readonly cause: "change" | "start" | "gap";
  /** The first objects, at most ten, and the number of all that the viewer may see. */
  readonly objects: Shortened<ChangedObject>;
}

/** `GET /api/v1/history?before=&limit=`: moments, the newest first. */
export interface HistoryListing {
  /** Whether the server keeps a history. */
  readonly kept: boolean;
  /** The directory, for commands. Absent for a workload. */
  readonly directory?: string;
  readonly items: readonly HistoryMoment[];
  /** The `before` of the next page; absent on the last page. */
  readonly next?: number;
}

/** `GET /api/v1/history/diff?from=&to=`: the objects that differ between two moments. `here` is `from`, `there` is `to`. */
export interface HistoryDiff {
  /** At most 100 objects. */
  readonly objects: Shortened<HistoryObjectDiff>;
}

export interface HistoryObjectDiff {
  readonly object: ChangedObject;
  /** Empty for an object whose content is not in the log, such as a Secret. At most 100. */
  readonly differences: Shortened<ValueDiff>;
}

/** `GET /api/v1/history/proxies?at=`: the proxies that were connected before the next moment; at most 500. */
export interface HistoryProxies {
  /** The last moment that had been pushed. */
  readonly pushed: number;
  readonly proxies: Shortened<HistoryProxy>;
}

export interface HistoryProxy {
  readonly node: string;
  /** `pod.namespace`. */
  readonly name: string;
  /** The types that it had not accepted, with the last moment that it had accepted; 0 for none. */
  readonly behind: readonly HistoryLag[];
}

export interface HistoryLag {
  readonly type: string;
  readonly accepted: number;
  readonly why: "waiting" | "rejected";
}

/** `GET /api/v1/history/proxies/NODE/diff?from=&to=`: the resources that the two moments have for a proxy. */
export interface HistoryProxyDiff {
  readonly node: string;
  /** At most 100 resources. */
  readonly resources: Shortened<HistoryResourceDiff>;
}

export interface HistoryResourceDiff {
  /** CDS, EDS, LDS, RDS, … */
  readonly type: string;
  readonly name: string;
  readonly operation: "added" | "updated" | "removed";
  /** Of an updated resource; at most 100. */
  readonly differences: Shortened<ValueDiff>;
}
