import { fromBinary } from "@bufbuild/protobuf";
import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { type Cluster, Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { type VirtualHost, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { type TcpProxy, TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import type { FleetResourceType } from "./fleet-resource-type.ts";

/** The facts that a proxy of a fleet reads from a resource: its name, and the names it refers to. */
export interface ResourceFacts {
  readonly name: string;
  /** The load assignment of an EDS cluster. Undefined for a cluster that finds its endpoints by itself. */
  readonly endpoints?: string;
  /** The route configurations that a listener gets over RDS. */
  readonly routes: readonly string[];
  /** Whether the virtual hosts of a route configuration are resources, too (VHDS). */
  readonly awaitsHosts?: boolean;
  /** The clusters that a listener or a route configuration sends traffic to. */
  readonly clusters: readonly string[];
}

const nobody = { routes: [], clusters: [] };

const readers: Readonly<Record<FleetResourceType, (value: Uint8Array) => ResourceFacts>> = {
  CDS: (value) => factsOfCluster(fromBinary(ClusterSchema, value)),
  EDS: (value) => ({ name: fromBinary(ClusterLoadAssignmentSchema, value).clusterName, ...nobody }),
  LDS: (value) => factsOfListener(fromBinary(ListenerSchema, value)),
  RDS: (value) => {
    const routes = fromBinary(RouteConfigurationSchema, value);
    const awaitsHosts = routes.vhds !== undefined;
    return { name: routes.name, routes: [], awaitsHosts, clusters: unique(clustersOfHosts(routes.virtualHosts)) };
  },
  VHDS: (value) => {
    const host = fromBinary(VirtualHostSchema, value);
    return { name: host.name, routes: [], clusters: unique(clustersOfHosts([host])) };
  },
};

/** Decodes the value of a resource's Any. Throws when it is not of its type. */
export function readResourceFacts(type: FleetResourceType, value: Uint8Array): ResourceFacts {
  return readers[type](value);
}

function factsOfCluster({ name, clusterDiscoveryType, edsClusterConfig }: Cluster): ResourceFacts {
  if (clusterDiscoveryType.value !== Cluster_DiscoveryType.EDS) return { name, ...nobody };
  const serviceName = edsClusterConfig?.serviceName ?? "";
  return { name, endpoints: serviceName === "" ? name : serviceName, ...nobody };
}

function factsOfListener({ name, filterChains, defaultFilterChain, apiListener }: Listener): ResourceFacts {
  const chains = [...filterChains, ...(defaultFilterChain === undefined ? [] : [defaultFilterChain])];
  const filters = chains
    .flatMap((chain) => chain.filters)
    .map(({ configType }) => (configType.case === "typedConfig" ? configType.value : undefined));
  const named = [...filters, apiListener?.apiListener].map(namedByFilter);
  return {
    name,
    routes: unique(named.flatMap(({ routes }) => routes)),
    clusters: unique(named.flatMap(({ clusters }) => clusters)),
  };
}

function namedByFilter(filter: Any | undefined): Pick<ResourceFacts, "routes" | "clusters"> {
  if (filter === undefined) return nobody;
  const http = anyUnpack(filter, HttpConnectionManagerSchema);
  if (http !== undefined) return namedByHttp(http);
  const tcp = anyUnpack(filter, TcpProxySchema);
  return tcp === undefined ? nobody : { routes: [], clusters: clustersOfTcp(tcp) };
}

function namedByHttp({ routeSpecifier }: HttpConnectionManager): Pick<ResourceFacts, "routes" | "clusters"> {
  if (routeSpecifier.case === "rds") return { routes: [routeSpecifier.value.routeConfigName], clusters: [] };
  if (routeSpecifier.case === "routeConfig")
    return { routes: [], clusters: clustersOfHosts(routeSpecifier.value.virtualHosts) };
  return nobody;
}

function clustersOfTcp({ clusterSpecifier }: TcpProxy): readonly string[] {
  if (clusterSpecifier.case === "cluster") return [clusterSpecifier.value];
  return clusterSpecifier.case === "weightedClusters" ? clusterSpecifier.value.clusters.map(({ name }) => name) : [];
}

function clustersOfHosts(virtualHosts: readonly VirtualHost[]): readonly string[] {
  return virtualHosts.flatMap(({ routes }) =>
    routes.flatMap(({ action }) => {
      if (action.case !== "route") return [];
      const { clusterSpecifier, requestMirrorPolicies } = action.value;
      const mirrors = requestMirrorPolicies.map(({ cluster }) => cluster);
      if (clusterSpecifier.case === "cluster") return [clusterSpecifier.value, ...mirrors];
      if (clusterSpecifier.case !== "weightedClusters") return mirrors;
      return [...clusterSpecifier.value.clusters.map(({ name }) => name), ...mirrors];
    }),
  );
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
