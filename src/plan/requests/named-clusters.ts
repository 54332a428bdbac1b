import type { Route, VirtualHost } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { TcpProxy } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";

/** The clusters to which a virtual host or a TCP proxy sends traffic. */
export function clusterNamesIn(part: VirtualHost | TcpProxy): ReadonlySet<string> {
  if ("routes" in part) return new Set(part.routes.flatMap(clustersOfRoute));
  return new Set(clustersIn(part.clusterSpecifier));
}

function clustersOfRoute({ action }: Route): readonly string[] {
  if (action.case !== "route") return [];
  const { clusterSpecifier } = action.value;
  if (clusterSpecifier.case === "cluster") return [clusterSpecifier.value];
  if (clusterSpecifier.case !== "weightedClusters") return [];
  return clusterSpecifier.value.clusters.map(({ name }) => name);
}

function clustersIn(specifier: TcpProxy["clusterSpecifier"]): readonly string[] {
  if (specifier.case === "cluster") return [specifier.value];
  return specifier.case === "weightedClusters" ? specifier.value.clusters.map(({ name }) => name) : [];
}
