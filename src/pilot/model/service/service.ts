import type { ConfigId } from "../../../config/config.ts";
import type { EndpointHealth } from "../../../config/mesh/mesh-service.ts";

/** The protocol of a port. `auto` enables protocol detection in Envoy. */
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
  /** The port of the workload; equal to `number` unless the author set another port, or a port name. */
  readonly targetPort: number;
}

/** How clients find the endpoints of a service. */
export type Resolution = "static" | "dns" | "dns-round-robin" | "passthrough" | "dynamic-dns";

/** A destination in the mesh, from any registry. Its endpoints are separate, in `ServiceEndpoints`. */
export interface Service {
  readonly hostname: string;
  readonly namespace: string;
  readonly registry: "External" | "Kubernetes";
  readonly ports: readonly Port[];
  /** Virtual addresses; empty means unspecified. */
  readonly addresses: readonly string[];
  /**
   * Addresses that stand for the hostname in proxies whose agent captures DNS; absent if the service has addresses, or
   * cannot be called by one.
   */
  readonly allocated?: readonly string[];
  readonly resolution: Resolution;
  readonly meshExternal: boolean;
  /** SANs that certificates of its endpoints may have, beside their service accounts. */
  readonly subjectAltNames: readonly string[];
  /** Envoy connects to all addresses of a name in parallel and uses the first that answers (happy eyeballs). */
  readonly racesAddresses: boolean;
  /** Other hostnames of the service, sorted. */
  readonly aliases: readonly Alias[];
  /** Endpoints that clients prefer, even while all endpoints are healthy. */
  readonly trafficDistribution: "any" | "same-zone" | "same-node";
  /** Clients use only endpoints on their own node. */
  readonly nodeLocal: boolean;
  /** Namespaces it is visible to: `*`, `.`, `~` or names. */
  readonly exportTo: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly owner: ConfigId;
}

/** Another hostname of a service: it has no clusters or endpoints of its own. */
export interface Alias {
  readonly hostname: string;
  /** The ports that the alias declares; clients may use all ports of the service. */
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
  /** `pod.subdomain`: its own DNS name, up to its namespace; absent for endpoints without one. */
  readonly podName?: string;
  /** The health that the Kubernetes cluster reports; absent for endpoints of other sources. */
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

/** The label of workloads that support mesh mTLS: `istio`. */
export const tlsModeLabel = "security.istio.io/tlsMode";

const sessionLabels = ["istio.io/persistent-session", "istio.io/persistent-session-header"];

/** Session affinity: clients stay with their first endpoint, even while it terminates. */
export function keepsSessions({ labels }: Pick<Service, "labels">): boolean {
  return sessionLabels.some((label) => (labels[label] ?? "") !== "");
}

/** Clients resolve the hostnames of its endpoints by DNS, so its clusters contain the endpoints. */
export function isResolvedByClient({ resolution }: Pick<Service, "resolution">): boolean {
  return resolution === "dns" || resolution === "dns-round-robin";
}

/** A headless service has no address of its own. Clients choose an endpoint by its address. */
export function isHeadless({ resolution, addresses }: Pick<Service, "resolution" | "addresses">): boolean {
  return resolution === "passthrough" && addresses.length === 0;
}

/** The port of a reference without a port; undefined where the service has several ports. */
export function onlyPortOf(service: Pick<Service, "ports"> | undefined): number | undefined {
  return service?.ports.length === 1 ? service.ports[0]?.number : undefined;
}

/** The key of a service, and of its endpoints, in their collections. */
export function serviceKey(service: { readonly namespace: string; readonly hostname: string }): string {
  return `${service.namespace}/${service.hostname}`;
}

/** The reverse of `serviceKey`: namespaces and hostnames contain no slash. */
export function parseServiceKey(key: string): { readonly namespace: string; readonly hostname: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), hostname: key.slice(slash + 1) };
}

const http: ReadonlySet<Protocol> = new Set(["HTTP", "HTTP2", "HTTP_PROXY", "GRPC", "GRPC-Web"]);
const http2: ReadonlySet<Protocol> = new Set(["HTTP2", "GRPC", "GRPC-Web"]);

/** Plain HTTP of any version, which Envoy can route by request. */
export function isHttp(protocol: Protocol): boolean {
  return http.has(protocol);
}

/** Spoken over HTTP/2 without negotiation. */
export function isHttp2(protocol: Protocol): boolean {
  return http2.has(protocol);
}

/** One endpoint and the service it serves. A proxy finds its own services by it. */
export interface ServiceInstance {
  /** The key of the service, see `serviceKey`. */
  readonly service: string;
  readonly endpoint: Endpoint;
}

const scheme = "unix://";

/** The path of a Unix socket's address, undefined for other addresses. */
export function unixPath(address: string): string | undefined {
  return address.startsWith(scheme) ? address.slice(scheme.length) : undefined;
}
