import type { ObjectLink, ObjectPart } from "./object-link.ts";

/** The body of `POST /api/v1/explain`. It changes nothing: POST, because the question may be long. */
export interface ExplainRequest {
  /** The node id of the proxy at which the request arrives. */
  readonly node: string;
  /** `client`: the workload beside the proxy sends it. `network`: it arrives at the proxy from elsewhere. */
  readonly from: "client" | "network";
  readonly method: string;
  /** `http://host:port/path`, `https://…` or `tcp://host:port`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The IP address of the client, for requests from the network. */
  readonly source?: string;
  /** The SPIFFE id of the client, for requests over mutual TLS. */
  readonly identity?: string;
  /** Other versions of objects, as YAML. They are used for this answer only. */
  readonly whatIf?: string;
}

export interface ExplainAnswer {
  readonly outcome: ExplainedOutcome;
  readonly steps: readonly ExplainedStep[];
  readonly decidedBy: readonly ObjectPart[];
  /** Objects that nearly matched, and why they did not. */
  readonly nearMisses: readonly { readonly text: string; readonly object?: ObjectLink }[];
  /** Of the objects in `whatIf`; an error makes the answer that of the current mesh. */
  readonly issues: readonly { readonly severity: "error" | "warning"; readonly text: string; readonly line?: number }[];
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
  readonly passedOver: readonly { readonly name: string; readonly why: string }[];
  readonly owners: readonly ObjectLink[];
  /** Of a cluster. */
  readonly share?: number;
  readonly problem?: string;
  readonly endpoints?: readonly ExplainedEndpointLink[];
}

export interface ExplainedEndpointLink {
  readonly address: string;
  readonly transport: string;
  readonly priority: number;
  readonly problem?: string;
}
