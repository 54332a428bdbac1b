import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { type RouteConfiguration, RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import { clusterType, endpointType, listenerType } from "../xds/type-urls.ts";
import type { ReadResource } from "./model-stream.ts";

/** Reads the resources of our generators, for the model of Envoy. */
export const readEnvoyResource: ReadResource = (typeUrl, value) => {
  const text = Buffer.from(value).toString("base64");
  if (typeUrl === clusterType) {
    const { name, clusterDiscoveryType } = fromBinary(ClusterSchema, value);
    return { name, content: { awaitsEndpoints: clusterDiscoveryType.value === Cluster_DiscoveryType.EDS, text } };
  }
  if (typeUrl === endpointType) {
    const { clusterName, endpoints } = fromBinary(ClusterLoadAssignmentSchema, value);
    return { name: clusterName, content: { empty: endpoints.length === 0, text } };
  }
  if (typeUrl === listenerType) {
    const listener = fromBinary(ListenerSchema, value);
    return { name: listener.name, content: { ...namedBy(listener), text } };
  }
  const routes = fromBinary(RouteConfigurationSchema, value);
  return { name: routes.name, content: { clusters: clustersNamedBy(routes), text } };
};

/** What the filter chains of a listener send traffic to: by routes, or straight to clusters. */
function namedBy({ filterChains, defaultFilterChain }: Listener) {
  const chains = [...filterChains, ...(defaultFilterChain === undefined ? [] : [defaultFilterChain])];
  const routes: string[] = [];
  const clusters: string[] = [];
  for (const { configType } of chains.flatMap(({ filters }) => filters)) {
    if (configType.case !== "typedConfig") continue;
    const specifier = anyUnpack(configType.value, HttpConnectionManagerSchema)?.routeSpecifier;
    if (specifier?.case === "rds") routes.push(specifier.value.routeConfigName);
    if (specifier?.case === "routeConfig") clusters.push(...clustersNamedBy(specifier.value));
    const destination = anyUnpack(configType.value, TcpProxySchema)?.clusterSpecifier;
    if (destination?.case === "cluster") clusters.push(destination.value);
    if (destination?.case === "weightedClusters") clusters.push(...destination.value.clusters.map(({ name }) => name));
  }
  return { routes, clusters };
}

function clustersNamedBy({ virtualHosts }: RouteConfiguration): readonly string[] {
  return virtualHosts.flatMap(({ routes }) =>
    routes.flatMap(({ action }) => {
      if (action.case !== "route") return [];
      const { clusterSpecifier: specifier, requestMirrorPolicies } = action.value;
      const mirrors = requestMirrorPolicies.map(({ cluster }) => cluster);
      if (specifier.case === "cluster") return [specifier.value, ...mirrors];
      if (specifier.case !== "weightedClusters") return mirrors;
      return [...specifier.value.clusters.map(({ name }) => name), ...mirrors];
    }),
  );
}
