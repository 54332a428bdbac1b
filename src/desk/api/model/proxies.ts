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

/** `GET /api/v1/proxies/NODE/services?search=&why=&limit=&cursor=`: the services that the proxy sees, by hostname. */
export interface ScopeListing extends Listing<ScopedService> {
  readonly facets: Readonly<Record<"namespace" | "why", readonly Facet[]>>;
}

export interface ScopedService {
  readonly hostname: string;
  readonly namespace: string;
  readonly ports: readonly number[];
  /** Why the proxy sees it: `exported to every namespace`, `imported by egress[0]`, … */
  readonly why: string;
  /** The object that declares it; absent if the viewer may not see it. */
  readonly object?: ObjectLink;
}

/** `GET /api/v1/proxies/NODE/resources?type=CDS&status=&search=&limit=&cursor=`, in the order of pushes, then by name. */
export interface ResourceListing extends Listing<ProxyResource> {
  readonly facets: Readonly<Record<"type" | "status", readonly Facet[]>>;
}

export interface ProxyResource {
  readonly type: string;
  readonly name: string;
  readonly status: "SYNCED" | "STALE" | "NOT SENT" | "ERROR";
  /** Empty for a resource that is to be removed. */
  readonly version: string;
  readonly bytes: number;
  /** The objects that it is made from, as far as the viewer may see them; at most 20. */
  readonly owners: Shortened<ObjectLink>;
}

/** `GET /api/v1/proxies/NODE/resources/NAME?type=CDS`. */
export interface ProxyResourceDetail extends ProxyResource {
  /**
   * The resource as JSON. Private keys and passwords are `[redacted]`. Of a removed resource, the version to remove.
   * Absent if the resource has more than 1 MiB: `binnacle proxy-config` shows such a resource.
   */
  readonly content?: unknown;
  /** The objects behind single parts, at most 1 000. */
  readonly parts: readonly ResourcePart[];
}

export interface ResourcePart {
  /** In `content`: `virtual_hosts[0].routes[2]`. */
  readonly path: string;
  /** `reference` is the line of the part, if it is known, else the line of the object. */
  readonly object: ObjectLink;
  /** The patch of an EnvoyFilter that made or changed the part: `configPatches[1]`. */
  readonly patch?: string;
}

/** `GET /api/v1/proxies/NODE/diff?with=NODE`: resources that two proxies should have, compared by type. */
export interface ProxyDiff {
  readonly node: string;
  readonly with: string;
  readonly types: readonly TypeDiff[];
}

/** Names of resources, at most 200 of each list. */
export interface TypeDiff {
  readonly type: string;
  readonly equal: number;
  readonly different: Shortened<string>;
  readonly onlyHere: Shortened<string>;
  readonly onlyThere: Shortened<string>;
}

/** `GET /api/v1/proxies/NODE/diff/NAME?with=NODE&type=CDS`: one resource of two proxies. */
export interface ResourceDiff {
  readonly type: string;
  readonly name: string;
  /** At most 500. */
  readonly differences: Shortened<ValueDiff>;
}

/** A part that differs, or that only one of the two has. */
export interface ValueDiff {
  /** As in `lb_endpoints[0].endpoint.address`. Indexes are of the first proxy, where it has the part. */
  readonly path: string;
  readonly here?: unknown;
  readonly there?: unknown;
}
