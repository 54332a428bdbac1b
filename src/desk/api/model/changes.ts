import type { Shortened } from "./listing.ts";
import type { ObjectLink } from "./object-link.ts";

/** `GET /api/v1/changes`: `Listing<ChangeSummary>`, the newest first. One change is one commit of the configuration. */
export interface ChangeSummary {
  readonly id: string;
  /** When the server read it, ISO 8601. */
  readonly at: string;
  /** The first objects, at most ten, and the number of all. */
  readonly objects: Shortened<ChangedObject>;
  /** Only endpoints changed: such a change is not debounced. */
  readonly endpointsOnly: boolean;
  readonly state: ChangeState;
  /** Absent for a workload, which may not count proxies of other namespaces. */
  readonly delivery?: Delivery;
}

export interface ChangedObject extends ObjectLink {
  readonly operation: "added" | "updated" | "removed";
}

/** Where the change is on its way. */
export type ChangeState =
  /** No proxy uses the changed fields, or the change is older than the first push. */
  | { readonly type: "not pushed" }
  /** It waits for the debounce, or the push is being built. */
  | { readonly type: "waiting" }
  /** The push failed. The server tries it again. */
  | { readonly type: "failed"; readonly reason: string }
  /** Proxies that are affected have it, or get it now. */
  | { readonly type: "sending" }
  /** Every affected proxy has acknowledged it. `proxies` may be 0: then no connected proxy is affected. */
  | { readonly type: "acknowledged" }
  /** Every affected proxy has answered, and some rejected it. */
  | { readonly type: "rejected" };

/**
 * The proxies that the change concerns. A proxy that was behind gets several pushes in one response, and counts for each
 * of them. `sent` is the sum of the other four.
 */
export interface Delivery {
  readonly sent: number;
  readonly acknowledged: number;
  readonly rejected: number;
  /** Disconnected before they answered. They get the newest state when they connect again. */
  readonly disconnected: number;
  readonly behind: number;
  /** From the commit to the acknowledgement of a proxy; absent before the first one. */
  readonly latency?: Latency;
}

/** In milliseconds. `p50` and `p99` are at most 5 % too high. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly last: number;
}

/** `GET /api/v1/changes/ID`. */
export interface ChangeDetail extends ChangeSummary {
  /** At most 200 objects. */
  readonly objects: Shortened<ChangedObject>;
  /** The push that carried the change; absent until there is one. */
  readonly push?: PushRecord;
  /** Connected proxies that have not answered so far, computed for this answer; at most 100. */
  readonly behind: Shortened<ProxyBehind>;
  readonly rejections: Shortened<ChangeRejection>;
}

/** One push. Several changes within the debounce time share one. */
export interface PushRecord {
  /** The number of the push since the start of the server. */
  readonly number: number;
  readonly at: string;
  /** `config`, `endpoint`, `service`, … */
  readonly reasons: readonly string[];
  readonly debouncedMs: number;
  /** How long the resources took to build. */
  readonly buildMs: number;
  /** The ids of all changes in it, at most 50. */
  readonly changes: Shortened<string>;
  /** The sent responses, by type. Absent for a workload. */
  readonly types?: readonly PushedType[];
}

export interface PushedType {
  /** CDS, EDS, LDS, RDS, … */
  readonly type: string;
  readonly responses: number;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
}

export interface ProxyBehind {
  readonly node: string;
  readonly namespace: string;
  /** Types with a response that is not acknowledged, or not sent so far. */
  readonly types: readonly string[];
}

/** Proxies that rejected the change with the same words. */
export interface ChangeRejection {
  readonly type: string;
  /** The words of the proxy. */
  readonly message: string;
  readonly resources: readonly string[];
  readonly objects: readonly ObjectLink[];
  /** Absent for a workload. */
  readonly proxies?: number;
  /** The first ones, at most ten. */
  readonly nodes: readonly string[];
  /** One of the objects is in quarantine now. */
  readonly quarantined: boolean;
}
