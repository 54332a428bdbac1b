import type { ConfigId } from "../../../config/config.ts";
import type { EndpointHealth } from "../../../config/mesh/mesh-service.ts";

/** How a port's bytes are to be read. `auto` means: Envoy sniffs. */
export type Protocol =
  | "HTTP"
  | "HTTP2"
  | "HTTP_PROXY"
  | "GRPC"
  | "GRPC-Web"
  | "HTTPS"
  | "TLS"
  | "TCP"
  | "Mongo"
  | "Redis"
  | "MySQL"
  | "UDP"
  | "auto";

/** A port by which a service is called. */
export interface Port {
  readonly number: number;
  readonly name: string;
  readonly protocol: Protocol;
  /** The port of the workload; equal to `number` unless the author said otherwise, or said it by name. */
  readonly targetPort: number;
}

/** How a service's endpoints are found. */
export type Resolution = "static" | "dns" | "dns-round-robin" | "passthrough" | "dynamic-dns";

/** A destination in the mesh, whatever registry it came from. Endpoints are kept apart, in `ServiceEndpoints`. */
export interface Service {
  readonly hostname: string;
  readonly namespace: string;
  readonly registry: "External" | "Kubernetes";
  readonly ports: readonly Port[];
  /** Virtual addresses; empty means unspecified. */
  readonly addresses: readonly string[];
  readonly resolution: Resolution;
  readonly meshExternal: boolean;
  /** Names that its endpoints' certificates may have, beside their service accounts. */
  readonly subjectAltNames: readonly string[];
  /** Envoy tries all addresses of a name together and takes the first that answers. */
  readonly racesAddresses: boolean;
  /** Other names that lead to it, sorted. */
  readonly aliases: readonly Alias[];
  /** Which endpoints it wants its clients to prefer, even before any is found to be ill. */
  readonly trafficDistribution: "any" | "same-zone" | "same-node";
  /** Clients are kept to the endpoints on their own node. */
  readonly nodeLocal: boolean;
  /** Namespaces it is visible to: `*`, `.`, `~` or names. */
  readonly exportTo: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly owner: ConfigId;
}

/** A name that stands for another service: it has no clusters or endpoints of its own. */
export interface Alias {
  readonly hostname: string;
  /** Those under which it was declared; it may be called by all ports of the service. */
  readonly ports: readonly Port[];
  readonly owner: ConfigId;
}

/** One address and port that serves one port of a service. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
  readonly servicePortName: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `region/zone/subzone`, or "". */
  readonly locality: string;
  readonly network: string;
  readonly weight: number;
  readonly serviceAccount: string;
  readonly tlsMode: "istio" | "disabled";
  readonly workloadName: string;
  readonly namespace: string;
  readonly clusterId: string;
  /** The machine it runs on; "" when unknown. */
  readonly node: string;
  /** `pod.subdomain`: its own DNS name, up to its namespace; absent for those that have none. */
  readonly podName?: string;
  /** What the cluster reports; of other endpoints nobody reports anything. */
  readonly health?: EndpointHealth;
}

/** All endpoints of one service: the collection whose changes are pushed without delay. */
export interface ServiceEndpoints {
  readonly hostname: string;
  readonly namespace: string;
  /** Sorted by address, port, service port name. */
  readonly endpoints: readonly Endpoint[];
  /** The objects they came from, sorted. */
  readonly owners: readonly ConfigId[];
}

/** The label by which a workload says that it speaks mesh mTLS: `istio`. */
export const tlsModeLabel = "security.istio.io/tlsMode";

const sessionLabels = ["istio.io/persistent-session", "istio.io/persistent-session-header"];

/** Clients stay with the endpoint they first reached, even while it is going away. */
export function keepsSessions({ labels }: Pick<Service, "labels">): boolean {
  return sessionLabels.some((label) => (labels[label] ?? "") !== "");
}

/** The names of its endpoints are resolved by whoever calls it, so they stand in its clusters. */
export function isResolvedByClient({ resolution }: Pick<Service, "resolution">): boolean {
  return resolution === "dns" || resolution === "dns-round-robin";
}

/** Without an address of its own: callers pick one of its endpoints themselves, and want their addresses. */
export function isHeadless({ resolution, addresses }: Pick<Service, "resolution" | "addresses">): boolean {
  return resolution === "passthrough" && addresses.length === 0;
}

/** The port that is meant by whoever names none; undefined where there are several to choose from. */
export function onlyPortOf(service: Pick<Service, "ports"> | undefined): number | undefined {
  return service?.ports.length === 1 ? service.ports[0]?.number : undefined;
}

/** The key of a service, and of its endpoints, in their collections. */
export function serviceKey(service: { readonly namespace: string; readonly hostname: string }): string {
  return `${service.namespace}/${service.hostname}`;
}

/** The other way round: namespaces and hostnames contain no slash. */
export function parseServiceKey(key: string): { readonly namespace: string; readonly hostname: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), hostname: key.slice(slash + 1) };
}
