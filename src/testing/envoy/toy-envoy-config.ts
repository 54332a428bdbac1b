import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type Cluster, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { LbEndpointSchema } from "#gen/envoy/config/endpoint/v3/endpoint_components_pb.js";
import { type ClusterLoadAssignment, ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import type { FilterChainSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { type RouteConfiguration, RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";

/** A message as a literal, which can be spread into another. */
export type Literal<Desc extends DescMessage> = Exclude<MessageInitShape<Desc>, { readonly $typeName: string }>;

export type ChainInit = Literal<typeof FilterChainSchema>;
export type RouteInit = Literal<typeof RouteSchema>;

/** A filter, a listener filter or a transport socket: whatever has a typed configuration. */
export function typed<Desc extends DescMessage>(schema: Desc, init?: MessageInitShape<Desc>) {
  return {
    name: schema.typeName,
    configType: { case: "typedConfig" as const, value: anyPack(schema, create(schema, init)) },
  };
}

/** A listener on an address, named as Istio names it unless told otherwise. */
export function listenerOn(address: string, port: number, init: Literal<typeof ListenerSchema> = {}): Listener {
  return create(ListenerSchema, { name: `${address}_${port}`, address: socketAt(address, port), ...init });
}

/** A chain whose connections go to a cluster as they are. */
export function tcpChain(cluster: string, init: ChainInit = {}): ChainInit {
  return { filters: [typed(TcpProxySchema, { clusterSpecifier: { case: "cluster", value: cluster } })], ...init };
}

/** A chain whose requests are routed, by routes that are sent apart. */
export function httpChain(routeConfigName: string, init: ChainInit = {}): ChainInit {
  const routeSpecifier = { case: "rds" as const, value: { routeConfigName } };
  return { filters: [typed(HttpConnectionManagerSchema, { routeSpecifier })], ...init };
}

/** Routes by domain, each domain with a virtual host of its own. */
export function routesFor(name: string, hosts: Readonly<Record<string, readonly RouteInit[]>>): RouteConfiguration {
  const virtualHosts = Object.entries(hosts).map(([domain, routes]) => ({
    name: domain,
    domains: [domain],
    routes: [...routes],
  }));
  return create(RouteConfigurationSchema, { name, virtualHosts, ignorePortInHostMatching: true });
}

/** A route to a cluster for everything that `match` accepts. */
export function toyRoute(cluster: string, match: RouteInit["match"] = anyPath): RouteInit {
  const value = { clusterSpecifier: { case: "cluster" as const, value: cluster } };
  return { name: `to ${cluster}`, match, action: { case: "route", value } };
}

export const anyPath = { pathSpecifier: { case: "prefix" as const, value: "/" } };

export function toyCluster(name: string, init: Literal<typeof ClusterSchema> = {}): Cluster {
  return create(ClusterSchema, { name, ...init });
}

export function assignmentOf(
  clusterName: string,
  lbEndpoints: readonly Literal<typeof LbEndpointSchema>[],
): ClusterLoadAssignment {
  return create(ClusterLoadAssignmentSchema, { clusterName, endpoints: [{ lbEndpoints: [...lbEndpoints] }] });
}

export function endpointAt(address: string, port: number, init: Literal<typeof LbEndpointSchema> = {}) {
  const hostIdentifier = { case: "endpoint" as const, value: { address: socketAt(address, port) } };
  return { hostIdentifier, ...init };
}

export function socketAt(address: string, port: number) {
  const portSpecifier = { case: "portValue" as const, value: port };
  return { address: { case: "socketAddress" as const, value: { address, portSpecifier } } };
}
