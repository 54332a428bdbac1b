import type { Shortened } from "./listing.ts";
import type { ObjectLink, ObjectPart } from "./object-link.ts";

/** The body of `POST /api/v1/explain`. It changes nothing: POST, because the question may be long. */
export interface ExplainRequest {
  /** The node id of a connected proxy: the request arrives there. */
  readonly node: string;
  /** `client`: the workload beside the sidecar sends it. `network`: it arrives at the proxy from elsewhere. */
  readonly from: "client" | "network";
  readonly method: string;
  /** `http://host:port/path`, `https://…` or `tcp://host:port`. */
  readonly url: string;
  /** A `host` header replaces the host of the URL. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The IP address of the client. */
  readonly source?: string;
  /** The SPIFFE id of the client, for requests over mutual TLS. */
  readonly identity?: string;
  /** The answer of external authorizers. Without it, the outcome is unknown where one is asked. */
  readonly extAuthz?: "allow" | "deny";
  /**
   * Other versions of objects, as YAML: at most 50 objects and 128 KiB. They are used for this answer only. Only
   * operators may send it, and the server answers one such question at a time.
   */
  readonly whatIf?: string;
}

/** The way of the request in the mesh as it is, and with the objects of `whatIf`. */
export interface ExplainAnswer extends ExplainedRequest {
  readonly whatIf?: WhatIfAnswer;
}

export interface WhatIfAnswer {
  /** Of the edited text. */
  readonly issues: readonly WhatIfIssue[];
  /** The objects in the text. */
  readonly objects: readonly WhatIfObject[];
  /** The way with these objects. Absent if an issue is an error. */
  readonly answer?: ExplainedRequest;
}

export interface WhatIfIssue {
  readonly severity: "error" | "warning";
  readonly text: string;
  /** In the edited text. */
  readonly line?: number;
}

export interface WhatIfObject extends ObjectLink {
  readonly change: "added" | "changed" | "unchanged";
}

export interface ExplainedRequest {
  readonly outcome: ExplainedOutcome;
  readonly steps: readonly ExplainedStep[];
  /** Policies and patches that decided the outcome. */
  readonly decidedBy: readonly ObjectPart[];
  /** Objects that nearly matched, and why they did not; at most 20. */
  readonly nearMisses: Shortened<NearlyMatched>;
}

export interface NearlyMatched {
  readonly object: ObjectLink;
  /** The rest of a sentence that begins with the object. */
  readonly why: string;
}

export type ExplainedOutcome =
  | { readonly type: "forwarded"; readonly targets: readonly ExplainedTarget[] }
  | { readonly type: "response"; readonly status: number; readonly body: string }
  | { readonly type: "redirect"; readonly status: number; readonly location: string }
  | { readonly type: "refused"; readonly reason: string; readonly status?: number }
  | { readonly type: "accepted"; readonly reason: string }
  | { readonly type: "unknown"; readonly reason: string };

export interface ExplainedTarget {
  readonly cluster: string;
  /** From 0 to 1. */
  readonly share: number;
  readonly problem?: string;
}

/** One decision on the way of the request. */
export interface ExplainedStep {
  readonly type: "listener" | "filter chain" | "filter" | "route configuration" | "virtual host" | "route" | "cluster";
  readonly name: string;
  readonly why: string;
  readonly notes: readonly string[];
  /** At most 50. */
  readonly passedOver: Shortened<{ readonly name: string; readonly why: string }>;
  /** The objects behind it, at most 20. */
  readonly owners: Shortened<ObjectLink>;
  /** Of a cluster. */
  readonly share?: number;
  readonly problem?: string;
  /** Of a cluster, at most 50. */
  readonly endpoints?: Shortened<ExplainedEndpointLink>;
}

export interface ExplainedEndpointLink {
  readonly address: string;
  readonly transport: string;
  readonly priority: number;
  readonly problem?: string;
}
