import type { ConfigId } from "../config/config.ts";
import type { ReportedReplacement } from "../pilot/xds/quarantine/report.ts";
import type { NearMiss } from "./near-misses/near-miss.ts";

/** Where a request goes, and why. Plain data, ready for JSON. */
export interface Explanation {
  readonly steps: readonly ExplanationStep[];
  readonly outcome: RequestOutcome;
  /** The policies, and the patches of EnvoyFilters, that decided the outcome. Empty if none mattered. */
  readonly decidedBy: readonly Decider[];
  /** Objects that nearly matched, if nothing was found and a search was made. */
  readonly nearMisses?: readonly NearMiss[];
  /** Objects that the proxy refuses, and what it gets in their place. Known only for the proxies of a server. */
  readonly quarantined?: readonly RefusedObject[];
}

/** An object that the proxy refuses. It gets something else in its place. */
export interface RefusedObject {
  readonly object: ConfigId;
  /** `file:line`; empty if the object is gone. */
  readonly reference: string;
  readonly since: string;
  readonly instead: ReportedReplacement;
  /** The words of the proxy. */
  readonly reason: string;
}

/** An object that decided about a request, or one part of it: `rule 0`, `configPatches[1]`. */
export interface Decider {
  readonly object: ConfigId;
  readonly part?: string;
  /** `file:line` of the part, if it is known; else the place of the object counts. */
  readonly reference?: string;
}

/** One decision on the way. */
export type ExplanationStep = Decision | ClusterStep;

/** Something that was chosen. A choice without a name is named by its index in its list. */
interface Choice {
  readonly name: string;
  /** Why this one, as a sentence without its full stop. */
  readonly why: string;
  /** Further effects: rewrites, retries, faults. */
  readonly notes: readonly string[];
  /** Candidates that were not chosen, and why. */
  readonly passedOver: readonly PassedOver[];
  /** The users' objects behind it, if known. */
  readonly owners: readonly ConfigId[];
}

/** A candidate that was not chosen, and why. */
export interface PassedOver {
  readonly name: string;
  readonly why: string;
}

/** One among several of its kind was chosen. */
export interface Decision extends Choice {
  readonly type: "listener" | "filter chain" | "filter" | "route configuration" | "virtual host" | "route";
}

/** A cluster that gets all or a share of the requests. */
export interface ClusterStep extends Choice {
  readonly type: "cluster";
  readonly share: number;
  /** The endpoints that the cluster may choose from. */
  readonly endpoints: readonly ExplainedEndpoint[];
  /** Why requests fail here: the rest of a sentence that begins with its name. Absent on success. */
  readonly problem?: string;
  /** The status of the answer, if the proxy at the other end rejects requests itself. */
  readonly status?: number;
  /** The policies that decided at the other end. */
  readonly decidedBy?: readonly Decider[];
}

/** Where a cluster may send a request. */
export interface ExplainedEndpoint {
  /** `address:port`, where the address may be a name. */
  readonly address: string;
  readonly transport: Transport;
  /** 0 is chosen first. Others are used only when too few endpoints of earlier priorities are healthy. */
  readonly priority: number;
  /** Why requests to it fail: the rest of a sentence that begins with its address. Absent on success. */
  readonly problem?: string;
  /** The status of its answer, if its proxy rejects requests itself. */
  readonly status?: number;
}

/** The transport from a proxy to an endpoint. */
export type Transport = "plaintext" | "TLS" | "mutual TLS";

/** The result of a request. */
export type RequestOutcome =
  | { readonly type: "forwarded"; readonly targets: readonly ClusterShare[] }
  | { readonly type: "response"; readonly status: number; readonly body: string }
  | { readonly type: "redirect"; readonly status: number; readonly location: string }
  | RequestRefusal
  /** The gRPC server at which it arrives takes it. */
  | { readonly type: "accepted"; readonly reason: string }
  | { readonly type: "unknown"; readonly reason: string };

/** The proxy itself refuses: with an HTTP status, or by closing the connection. */
export interface RequestRefusal {
  readonly type: "refused";
  readonly reason: string;
  readonly status?: number;
  /** Candidates that did not match. */
  readonly passedOver: readonly PassedOver[];
}

/** A cluster that gets a share of such requests; shares add up to 1. */
export interface ClusterShare {
  readonly cluster: string;
  readonly share: number;
  /** Why this share fails, as in its step. */
  readonly problem?: string;
}

/** A stage of the walk makes a choice and reports it as a step, or ends the walk. */
export type StageResult<T> = { readonly type: "chosen"; readonly value: T; readonly step: Decision } | RequestOutcome;

/** A choice with its notes. */
export function chosen<T>(
  value: T,
  step: Pick<Decision, "type" | "name" | "why"> & Partial<Decision>,
): Extract<StageResult<T>, { type: "chosen" }> {
  return { type: "chosen", value, step: { notes: [], passedOver: [], owners: [], ...step } };
}

/** A refusal with its details. */
export function refused(reason: string, more: Partial<Omit<RequestRefusal, "type" | "reason">> = {}): RequestRefusal {
  return { type: "refused", reason, passedOver: [], ...more };
}
