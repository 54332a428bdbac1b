import type { Facet, Listing, Shortened } from "./listing.ts";
import type { ObjectLink } from "./object-link.ts";

/** `GET /api/v1/mesh`: namespaces, and the calls between them that configuration allows. */
export interface MeshSummary {
  /** Those with the most services first, at most 200. */
  readonly namespaces: Shortened<NamespaceSummary>;
  readonly calls: MeshCalls;
}

export interface NamespaceSummary {
  readonly name: string;
  readonly services: number;
  readonly endpoints: number;
  readonly unhealthy: number;
  readonly proxies: number;
}

/** The calls between the 40 namespaces with the most services. */
export interface MeshCalls {
  readonly between: readonly NamespaceCalls[];
  /** A newer configuration is not counted so far. Ask again after some seconds. */
  readonly pending: boolean;
}

/** How many services of `to` the workloads of `from` may call, by configuration. */
export interface NamespaceCalls {
  readonly from: string;
  readonly to: string;
  readonly allowed: number;
  readonly depends: number;
  readonly denied: number;
}

/**
 * `depends`: on the request, the endpoint, or the workload that calls. Both sides must have a proxy: nothing else enforces
 * scopes, mutual TLS and policies.
 */
export type CallVerdict = "allowed" | "denied" | "depends";

/** Something that decides about a call. */
export interface CallReason {
  readonly verdict: CallVerdict;
  /** A sentence without its full stop. */
  readonly text: string;
  /** The objects that decide, without those that the viewer may not see. */
  readonly objects: readonly ObjectLink[];
}

/** `GET /api/v1/mesh/namespaces/NAME`: the services of a namespace, and who may call them. */
export interface NamespaceDetail extends NamespaceSummary {
  /** Services with the same callers are one group. At most 50 groups, the largest first. */
  readonly groups: Shortened<ServiceGroup>;
  /** Sidecars, PeerAuthentications and AuthorizationPolicies of the namespace, at most 100. */
  readonly rules: Shortened<ObjectLink>;
}

export interface ServiceGroup {
  /** Hostnames, at most 20. */
  readonly services: Shortened<string>;
  /** The namespaces with the most services, at most 40, grouped by equal verdicts. */
  readonly callers: readonly CallerGroup[];
}

export interface CallerGroup {
  readonly namespaces: readonly string[];
  readonly verdict: CallVerdict;
  readonly reasons: readonly CallReason[];
}

/** `GET /api/v1/mesh/conflicts`. */
export interface ConflictListing extends Shortened<MeshConflict> {
  /** A newer configuration is not searched so far. Ask again after some seconds. */
  readonly pending: boolean;
}

export interface MeshConflict {
  readonly type: string;
  readonly about: string;
  /** Absent if the mesh itself wins, or if the viewer may not see the winner. */
  readonly winner?: ObjectLink;
  readonly losers: readonly ObjectLink[];
  readonly reason: string;
}

/** `GET /api/v1/mesh/gateways`: one item per host of a gateway, by host. */
export interface GatewayListing extends Listing<GatewayHost> {
  readonly facets: Readonly<Record<"gateway", readonly Facet[]>>;
}

export interface GatewayHost {
  readonly host: string;
  readonly gateway: ObjectLink;
  readonly ports: readonly { readonly number: number; readonly protocol: string; readonly tls: string }[];
  /** Connected proxies that the gateway selects. */
  readonly proxies: number;
  /** VirtualServices with routes for the host; the first one wins. Empty: requests for the host get 404. */
  readonly owners: readonly ObjectLink[];
}

/** `GET /api/v1/mesh/services?search=&namespace=&health=&limit=&cursor=`. */
export interface ServiceListing extends Listing<ServiceSummary> {
  readonly facets: Readonly<Record<"namespace" | "health", readonly Facet[]>>;
}

/** `empty`: no endpoints. `partial`: some endpoints are unhealthy. */
export type ServiceHealth = "healthy" | "partial" | "unhealthy" | "empty";

export interface ServiceSummary {
  /** `namespace/hostname`. */
  readonly id: string;
  readonly hostname: string;
  readonly namespace: string;
  readonly ports: readonly { readonly number: number; readonly protocol: string; readonly name: string }[];
  readonly health: ServiceHealth;
  readonly endpoints: number;
  readonly unhealthy: number;
  /** Namespaces that may see it: `*` for all, `.` for its own, `~` for none. */
  readonly exportTo: readonly string[];
  /** The object that declares it. */
  readonly object: ObjectLink;
}

/** `GET /api/v1/mesh/services/NAMESPACE/HOSTNAME`. */
export interface ServiceDetail extends ServiceSummary {
  readonly addresses: readonly string[];
  readonly resolution: string;
  /** Outside of the mesh: no proxy of this mesh stands before it. */
  readonly meshExternal: boolean;
  /** At most 500. */
  readonly instances: Shortened<EndpointSummary>;
  /** Endpoints with a proxy that is connected to this server. */
  readonly proxied: number;
  /** VirtualServices about its hostname, and those that route to it; at most 50. */
  readonly routes: Shortened<ServiceRoute>;
  readonly subsets: readonly ServiceSubset[];
  /** DestinationRules and policies that apply to it. */
  readonly rules: readonly ObjectLink[];
  /** The namespaces with the most services, at most 40, grouped by equal verdicts. */
  readonly callers: readonly CallerGroup[];
  /** Connected proxies whose scope contains it. */
  readonly seenBy: number;
}

export interface ServiceRoute {
  readonly object: ObjectLink;
  /** It has routes for the hostname, or it sends requests of other hosts here. */
  readonly role: "host" | "destination";
  /** `mesh` for sidecars, else `namespace/name` of a gateway. */
  readonly gateways: readonly string[];
  /** The first route that matches applies. At most 20. */
  readonly rules: Shortened<RouteRule>;
}

/** A route in words. */
export interface RouteRule {
  /** `every request`, or `path begins with /v2 and header end-user is jason`. */
  readonly match: string;
  /** `90 % to reviews (v1), 10 % to reviews (v2)`. */
  readonly action: string;
}

export interface ServiceSubset {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Endpoints with these labels. */
  readonly endpoints: number;
  readonly object: ObjectLink;
}

export interface EndpointSummary {
  readonly address: string;
  readonly port: number;
  /** The name of the service port. */
  readonly portName: string;
  /** Sources other than Kubernetes report no health: such an endpoint is healthy. */
  readonly health: "healthy" | "unhealthy" | "draining" | "terminating";
  /** `region/zone/subzone`. */
  readonly locality: string;
  readonly network: string;
  readonly weight: number;
  readonly workload: string;
  /** Whether clients use mutual TLS with it. */
  readonly mtls: boolean;
}
