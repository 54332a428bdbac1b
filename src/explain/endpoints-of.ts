import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { LbEndpoint } from "#gen/envoy/config/endpoint/v3/endpoint_components_pb.js";
import type { ClusterLoadAssignment } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";

/** The addresses a cluster chooses from: its own, or those that were sent for it. Sorted, each once. */
export function endpointsOf(
  name: string,
  config: { readonly clusters: readonly Cluster[]; readonly endpoints: readonly ClusterLoadAssignment[] },
): readonly string[] {
  const cluster = config.clusters.find((candidate) => candidate.name === name);
  const serviceName = cluster?.edsClusterConfig?.serviceName || name;
  const assignment = cluster?.loadAssignment ?? config.endpoints.find((one) => one.clusterName === serviceName);
  const localities = assignment?.endpoints ?? [];
  const addresses = localities.flatMap(({ lbEndpoints }) => lbEndpoints.map(addressOf));
  return [...new Set(addresses)].toSorted();
}

function addressOf({ hostIdentifier }: LbEndpoint): string {
  if (hostIdentifier.case !== "endpoint") return "";
  const address = hostIdentifier.value.address?.address;
  if (address?.case === "pipe") return `unix://${address.value.path}`;
  if (address?.case !== "socketAddress") return "";
  const port = address.value.portSpecifier.case === "portValue" ? address.value.portSpecifier.value : 0;
  return `${address.value.address}:${port}`;
}
