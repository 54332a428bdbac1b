import type { Facet, Listing, Shortened } from "./listing.ts";
import type { ObjectLink } from "./object-link.ts";

/**
 * `GET /api/v1/proxies?search=&state=&namespace=&type=&version=&limit=&cursor=`. The facets count the proxies that match
 * the search and all filters except the facet's own.
 */
export interface ProxyListing extends Listing<ProxySummary> {
  readonly facets: Readonly<Record<"state" | "namespace" | "type" | "version", readonly Facet[]>>;
}

export type ProxyState = "synced" | "behind" | "rejecting";

export interface ProxySummary {
  /** The node id, which is the key of a proxy in links. */
  readonly node: string;
  /** `pod.namespace`. */
  readonly name: string;
  readonly namespace: string;
  readonly type: "sidecar" | "router" | "proxyless";
  /** Of the Envoy; empty if the proxy did not say. */
  readonly version: string;
  readonly cluster: string;
  readonly connectedAt: string;
  readonly mode: "sotw" | "delta";
  readonly state: ProxyState;
  /** In the order of pushes. */
  readonly types: readonly TypeSync[];
}

/** One type on the stream of a proxy, in the terms of `istioctl proxy-status`. */
export interface TypeSync {
  /** CDS, EDS, LDS, RDS, … */
  readonly type: string;
  readonly status: "SYNCED" | "STALE" | "NOT SENT" | "ERROR";
}

/** `GET /api/v1/proxies/NODE`. */
export interface ProxyDetail extends ProxySummary {
  readonly address: string;
  readonly addresses: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly locality: string;
  readonly network: string;
  readonly workload: string;
  readonly serviceAccount: string;
  /** The authenticated SPIFFE id. */
  readonly identity?: string;
  readonly sync: readonly TypeSyncDetail[];
  readonly rejections: readonly ProxyRejection[];
  /** Objects that this proxy does not get, because proxies like it refuse them. */
  readonly quarantined: readonly QuarantinedObject[];
  /** Ids of changes that the proxy has not acknowledged, the newest first; at most 20. */
  readonly behind: Shortened<string>;
  readonly scope: ProxyScope;
}

export interface TypeSyncDetail extends TypeSync {
  readonly typeUrl: string;
  readonly wildcard: boolean;
  /** Requested names. */
  readonly requested: number;
  /** Resources that the proxy should have. */
  readonly resources: number;
  /** Content versions of the whole type: empty before the first answer. */
  readonly sent: string;
  readonly acknowledged: string;
  /** When the last response left; absent before the first. ISO 8601. */
  readonly sentAt?: string;
  /** The words of the last NACK, until an ACK. */
  readonly error?: string;
}

export interface ProxyRejection {
  readonly type: string;
  readonly message: string;
  readonly resources: readonly string[];
  readonly objects: readonly ObjectLink[];
}

export interface QuarantinedObject {
  readonly object: ObjectLink;
  readonly reason: string;
  readonly since: string;
  /** The content that the proxy gets in place of the object. */
  readonly instead: "earlier version" | "nothing" | "denied";
}

/** The services and rules that the proxy may see, and why. */
export interface ProxyScope {
  readonly services: number;
  /** The Sidecar that narrows the scope; absent if the default scope applies. */
  readonly sidecar?: ObjectLink;
  readonly why: string;
}

/** `GET /api/v1/proxies/NODE/resources?type=CDS&search=&limit=&cursor=`: `Listing<ProxyResource>`. */
export interface ProxyResource {
  readonly type: string;
  readonly name: string;
  readonly status: "SYNCED" | "STALE" | "NOT SENT" | "ERROR";
  /** Empty for a resource that is to be removed. */
  readonly version: string;
  readonly bytes: number;
  readonly owners: readonly ObjectLink[];
}

/** `GET /api/v1/proxies/NODE/resources/NAME?type=CDS`: the content, secrets left out. */
export interface ProxyResourceDetail extends ProxyResource {
  readonly content: unknown;
}

/** `GET /api/v1/proxies/NODE/diff?with=NODE`: resources that two proxies should have and that differ. */
export interface ProxyDiff {
  readonly node: string;
  readonly with: string;
  readonly types: readonly TypeDiff[];
}

export interface TypeDiff {
  readonly type: string;
  readonly equal: number;
  readonly different: Shortened<string>;
  readonly onlyHere: Shortened<string>;
  readonly onlyThere: Shortened<string>;
}
