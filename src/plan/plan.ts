import type { ConfigId } from "../config/config.ts";
import type { Conflict } from "../pilot/model/conflict.ts";
import type { PlannedOutcome } from "./requests/outcome.ts";

/** The exact effect of a change on a fleet, before it is applied. Plain data, ready for JSON. It holds no secrets. */
export interface Plan {
  /** Names the change and the mesh that it was planned for. `apply --plan` refuses another one. */
  readonly id: string;
  readonly objects: readonly PlannedObject[];
  readonly proxies: { readonly total: number; readonly touched: number };
  /** The effect on each group of proxies that get the same. */
  readonly deliveries: readonly Delivery[];
  readonly requests: PlannedRequests;
  readonly conflicts: readonly ConflictChange[];
  readonly risks: readonly Risk[];
  /** The waves in which the objects of the change arrive that are staged. Absent if all arrive at once. */
  readonly waves?: readonly PlannedWave[];
  /** How many groups of Envoys a real Envoy judged, and for how many of them it was not asked to the end. */
  readonly judged?: { readonly groups: number; readonly left: number };
}

/** An object of users that the change writes or deletes. */
export interface PlannedObject {
  readonly operation: "added" | "changed" | "removed";
  readonly id: ConfigId;
  /** `file:line`; empty if it is unknown. */
  readonly reference: string;
}

/** The responses that some proxies get. */
export interface Delivery {
  readonly proxies: readonly string[];
  readonly count: number;
  readonly mode: "sotw" | "delta";
  /** Objects that these proxies refuse: they keep the accepted version, or do without. */
  readonly leftOut?: readonly ConfigId[];
  readonly types: readonly DeliveredType[];
}

/** The proxies that get a staged change next, after the waves before it. */
export interface PlannedWave {
  readonly rollout: string;
  /** From 1 on. The last one is everybody else. */
  readonly wave: number;
  readonly of: number;
  readonly proxies: readonly string[];
}

/** All responses of one type to one proxy. */
export interface DeliveredType {
  /** CDS, EDS, … */
  readonly type: string;
  readonly responses: number;
  /** Resources in these responses, with those that are only repeated. */
  readonly resources: number;
  /** Bytes of these responses without their nonces. */
  readonly bytes: number;
  readonly changes: readonly DeliveredResource[];
}

interface DeliveredResource {
  readonly operation: "added" | "changed" | "removed";
  readonly name: string;
  /** Its bytes in a response; 0 if it is removed. */
  readonly bytes: number;
  /** The objects that it is made from. */
  readonly owners: readonly string[];
}

/** Requests whose outcome changes, of those that were derived from the routes. */
export interface PlannedRequests {
  readonly asked: number;
  /** Routes for which no request was found: explain cannot evaluate their conditions, or no text for a regular expression. */
  readonly unsampled: number;
  /** Requests beyond the limit, which were not asked. */
  readonly left: number;
  readonly changes: readonly PlannedRequest[];
}

export interface PlannedRequest {
  readonly method: string;
  readonly url: string;
  /** `name: value` */
  readonly headers: readonly string[];
  readonly direction: "outbound" | "inbound" | "gateway";
  /** The proxies at which it arrives. */
  readonly proxies: readonly string[];
  readonly before: PlannedOutcome;
  readonly after: PlannedOutcome;
  readonly objects: readonly ConfigId[];
}

/** A conflict between objects that the change makes or ends. */
export interface ConflictChange extends Conflict {
  readonly change: "new" | "ended";
}

export const riskCodes = [
  "last-endpoint",
  "dangling-reference",
  "request-fails",
  "policy-widened",
  "port-opened",
  "gateway-owner",
  "many-proxies",
  "refused-by-envoy",
] as const;

/** A reason to look twice. */
export interface Risk {
  readonly code: (typeof riskCodes)[number];
  readonly text: string;
  /** The objects that cause it, as far as they are known. */
  readonly objects: readonly string[];
}
