import type { ConfigId } from "../config/config.ts";

/** Where a request goes, and why. Plain data, ready for JSON. */
export interface Explanation {
  readonly steps: readonly Step[];
  readonly outcome: Outcome;
}

/** One decision on the way. */
export type Step = Decision | ClusterStep;

/** Something that was chosen. What has no name of its own is named by its place in its list. */
interface Choice {
  readonly name: string;
  /** Why this one, as a sentence without its full stop. */
  readonly why: string;
  /** What else happens here: rewrites, retries, faults. */
  readonly notes: readonly string[];
  /** What was looked at, and why it was not taken. */
  readonly passedOver: readonly PassedOver[];
  /** The users' objects behind it, where they are known. */
  readonly owners: readonly ConfigId[];
}

/** A candidate that was looked at, and why it was not taken. */
export interface PassedOver {
  readonly name: string;
  readonly why: string;
}

/** One among several of its kind was chosen. */
export interface Decision extends Choice {
  readonly type: "listener" | "filter chain" | "route configuration" | "virtual host" | "route";
}

/** A cluster that gets all of such requests, or a share. */
export interface ClusterStep extends Choice {
  readonly type: "cluster";
  readonly share: number;
  /** Those it may choose from. */
  readonly endpoints: readonly Endpoint[];
  /** Why requests fail here: the rest of a sentence that begins with its name. Absent when they do not. */
  readonly problem?: string;
}

/** Where a cluster may send a request. */
export interface Endpoint {
  /** `address:port`, where the address may be a name. */
  readonly address: string;
  readonly transport: Transport;
  /** 0 is chosen first; others only when too few of those before are healthy. */
  readonly priority: number;
}

/** How a proxy speaks to an endpoint. */
export type Transport = "plaintext" | "TLS" | "mutual TLS";

/** What becomes of a request. */
export type Outcome =
  | { readonly type: "forwarded"; readonly targets: readonly Target[] }
  | { readonly type: "response"; readonly status: number; readonly body: string }
  | { readonly type: "redirect"; readonly status: number; readonly location: string }
  | Refusal
  | { readonly type: "unknown"; readonly reason: string };

/** The proxy itself says no: with an HTTP status, or by closing the connection. */
export interface Refusal {
  readonly type: "refused";
  readonly reason: string;
  readonly status?: number;
  /** What was looked at in vain. */
  readonly passedOver: readonly PassedOver[];
}

/** A cluster that gets a share of such requests; shares add up to 1. */
export interface Target {
  readonly cluster: string;
  readonly share: number;
  /** Why this share fails, as in its step. */
  readonly problem?: string;
}

/** A stage of the walk makes its choice and tells it in a step, or ends the walk. */
export type Stage<T> = { readonly type: "chosen"; readonly value: T; readonly step: Decision } | Outcome;

/** A choice, with what there is to say about it. */
export function chosen<T>(
  value: T,
  step: Pick<Decision, "type" | "name" | "why"> & Partial<Decision>,
): Extract<Stage<T>, { type: "chosen" }> {
  return { type: "chosen", value, step: { notes: [], passedOver: [], owners: [], ...step } };
}

/** A refusal, with what more there is to say about it. */
export function refused(reason: string, more: Partial<Omit<Refusal, "type" | "reason">> = {}): Refusal {
  return { type: "refused", reason, passedOver: [], ...more };
}
