import { type Cluster, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { TransportSocket } from "#gen/envoy/config/core/v3/base_pb.js";
import { type FilterChain, FilterChainSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { EnvoyPatch } from "../../model/policy/envoy-patch.ts";
import { mergeAny } from "./merge-any.ts";
import { PatchError } from "./patch-error.ts";
import { copyOf, type PatchRun } from "./patch-run.ts";

/**
 * Merges a patch with a transport socket into a cluster; false if the patch has none. As in istiod, the other fields of
 * such a patch have no effect. Envoy accepts only one of `transport_socket` and `transport_socket_matches`.
 */
export function mergeClusterSocket(patch: EnvoyPatch, cluster: Cluster, run: PatchRun): boolean {
  const socket = copyOf(patch, ClusterSchema).transportSocket;
  if (socket === undefined) return false;
  const sockets = cluster.transportSocketMatches.flatMap(({ transportSocket }) => transportSocket ?? []);
  if (cluster.transportSocketMatches.length > 0) {
    const same = sockets.find(({ name }) => name === socket.name);
    if (same === undefined) {
      const names = sockets.map(({ name }) => name).join(", ");
      throw new PatchError("transport_socket.name", `is ${socket.name}, and the cluster matches sockets of: ${names}`);
    }
    mergeInto(same, socket, run);
  } else if (cluster.transportSocket?.name === socket.name) mergeInto(cluster.transportSocket, socket, run);
  else cluster.transportSocket = socket;
  return true;
}

/** The same for a filter chain. False also if the sockets have different names: then the patch replaces the socket. */
export function mergeChainSocket(patch: EnvoyPatch, chain: FilterChain, run: PatchRun): boolean {
  const socket = copyOf(patch, FilterChainSchema).transportSocket;
  if (socket === undefined || chain.transportSocket?.name !== socket.name) return false;
  mergeInto(chain.transportSocket, socket, run);
  return true;
}

function mergeInto(target: TransportSocket, source: TransportSocket, { writer }: PatchRun): void {
  if (target.configType.case !== "typedConfig" || source.configType.case !== "typedConfig") return;
  target.configType = {
    case: "typedConfig",
    value: mergeAny(target.configType.value, source.configType.value, writer),
  };
}
