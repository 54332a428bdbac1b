import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { type ClusterIdentity, matchesCluster } from "./match/match-cluster.ts";
import { isMerge, mergeValue, type PatchRun } from "./patch-run.ts";
import { mergeClusterSocket } from "./patch-socket.ts";

/** Changes the cluster. Returns false if a patch removes it. */
export function patchCluster(cluster: Cluster, identity: ClusterIdentity, run: PatchRun): boolean {
  let removed = false;
  for (const patch of run.for("CLUSTER")) {
    if (removed || !matchesCluster(patch.cluster, identity)) continue;
    if (patch.operation === "REMOVE") {
      run.remove(patch, cluster);
      removed = true;
    } else if (isMerge(patch)) {
      run.step(patch, cluster, () => {
        if (!mergeClusterSocket(patch, cluster, run)) mergeValue(patch, cluster);
        return true;
      });
    }
  }
  return !removed;
}
