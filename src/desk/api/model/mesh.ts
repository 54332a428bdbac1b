import type { Facet, Listing, Shortened } from "./listing.ts";
import type { ObjectLink } from "./object-link.ts";

/** `GET /api/v1/mesh`: namespaces with their services, and the calls between namespaces that configuration allows. */
export interface MeshSummary {
  readonly namespaces: readonly NamespaceSummary[];
  readonly gateways: readonly GatewaySummary[];
  readonly conflicts: Shortened<MeshConflict>;
}

export interface NamespaceSummary {
  readonly name: string;
  readonly services: number;
  readonly endpoints: number;
  readonly unhealthy: number;
  readonly proxies: number;
  /** Namespaces whose services the proxies here see. `*` for all. */
  readonly sees: readonly string[];
}

export interface GatewaySummary {
  readonly object: ObjectLink;
  readonly hosts: Shortened<string>;
  readonly ports: readonly number[];
  readonly proxies: number;
}

export interface MeshConflict {
  readonly type: string;
  readonly about: string;
  /** Absent if the mesh itself wins. */
  readonly winner?: ObjectLink;
  readonly losers: readonly ObjectLink[];
  readonly reason: string;
}

/** `GET /api/v1/mesh/services?search=&namespace=&limit=&cursor=`. */
export interface ServiceListing extends Listing<ServiceSummary> {
  readonly facets: Readonly<Record<"namespace", readonly Facet[]>>;
}

export interface ServiceSummary {
  /** `namespace/hostname`. */
  readonly id: string;
  readonly hostname: string;
  readonly namespace: string;
  readonly ports: readonly { readonly number: number; readonly protocol: string; readonly name: string }[];
  readonly endpoints: number;
  readonly unhealthy: number;
  /** Namespaces that may see it: `*` for all. */
  readonly exportTo: readonly string[];
  /** The ServiceEntry or Service that declares it. */
  readonly object?: ObjectLink;
}

/** `GET /api/v1/mesh/services/NAMESPACE/HOSTNAME`. */
export interface ServiceDetail extends ServiceSummary {
  readonly addresses: readonly string[];
  readonly resolution: string;
  /** At most 500. */
  readonly instances: Shortened<EndpointSummary>;
  /** VirtualServices, DestinationRules and policies that apply to it. */
  readonly rules: readonly ObjectLink[];
  /** Connected proxies whose scope contains it. */
  readonly seenBy: number;
}

export interface EndpointSummary {
  readonly address: string;
  readonly port: number;
  readonly healthy: boolean;
  /** `region/zone/subzone`. */
  readonly locality: string;
  readonly network: string;
  readonly weight: number;
}
