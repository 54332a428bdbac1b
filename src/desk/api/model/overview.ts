import type { ChangeSummary } from "./changes.ts";
import type { WorstIssue } from "./issue.ts";

/** `GET /api/v1/overview`: is the mesh well? */
export interface Overview {
  readonly at: string;
  readonly health: "well" | "degraded" | "failing";
  /** The most urgent first. Empty if all is well. */
  readonly advice: readonly Advice[];
  readonly proxies: ProxyCounts;
  /** Absent for a workload. */
  readonly sources?: readonly SourceState[];
  readonly issues: IssueCounts;
  readonly pushes: PushRate;
  /** The last ten. */
  readonly changes: readonly ChangeSummary[];
}

/** Something is wrong, and what to do next. */
export interface Advice {
  readonly severity: "error" | "warning";
  readonly text: string;
  /** The next step, as a sentence. */
  readonly action: string;
  /** A path of the desk, such as `/proxies?state=rejecting`. */
  readonly link: string;
}

/** Connected proxies. `total` is the sum of the other three. */
export interface ProxyCounts {
  readonly total: number;
  readonly synced: number;
  readonly behind: number;
  readonly rejecting: number;
}

export interface SourceState {
  readonly name: string;
  readonly state: "stopped" | "syncing" | "synced" | "stale";
  readonly reason?: string;
  /** ISO 8601. */
  readonly staleSince?: string;
  readonly lastHeard?: string;
  readonly objects: number;
  readonly issues: number;
  /** Objects that an earlier source has, too. */
  readonly lost: number;
}

export interface IssueCounts {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  /** The analysis of the newest configuration is not finished. */
  readonly pending: boolean;
  /** The ten worst, documents that cannot be read included. */
  readonly worst: readonly WorstIssue[];
}

export interface PushRate {
  readonly lastMinute: number;
  /** Per minute, oldest first: the last 30 minutes. */
  readonly perMinute: readonly number[];
}
