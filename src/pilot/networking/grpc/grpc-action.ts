import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Forward, HttpAction, RetryPolicy } from "../../model/virtual-service.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import type { Target } from "../route/forward.ts";
import { grpcRetryPolicyOf } from "./grpc-retry-policy.ts";

/** Nobody serves it, so calls that are sent there fail at once. */
const nowhere = "BlackHoleCluster";

/**
 * What clients do with a call. For them there is nothing but sending it on: one that would be redirected or answered on
 * the way fails. To leave such a route out would hand its calls to the routes after it; to name its action would have
 * the whole configuration rejected.
 */
export function grpcActionOf(action: HttpAction, targets: readonly Target[], mesh: MeshSettings) {
  if (action.type !== "forward") return routeTo(singleCluster(nowhere), {}, undefined);
  return routeTo(clustersOf(targets), action, action.retries ?? mesh.defaultRetries);
}

/** All calls to one cluster, as the mesh has it by default. */
export function plainActionOf(cluster: string, mesh: MeshSettings) {
  return routeTo(singleCluster(cluster), {}, mesh.defaultRetries);
}

type ClusterSpecifier = ReturnType<typeof singleCluster> | ReturnType<typeof weightedClusters>;

function routeTo(
  clusterSpecifier: ClusterSpecifier,
  { timeout }: { readonly timeout?: Forward["timeout"] },
  retries: RetryPolicy | undefined,
) {
  return {
    case: "route",
    value: {
      clusterSpecifier,
      maxStreamDuration: timeout === undefined ? undefined : { maxStreamDuration: timeout },
      retryPolicy: grpcRetryPolicyOf(retries),
    },
  } as const;
}

/** A single destination needs no weight; of several, those without weight get nothing. */
function clustersOf(targets: readonly Target[]): ClusterSpecifier {
  const weighted = targets.length === 1 ? targets : targets.filter(({ weight }) => weight > 0);
  const [first, ...rest] = weighted;
  if (first === undefined) return singleCluster(nowhere);
  return rest.length === 0 ? singleCluster(targetCluster(first)) : weightedClusters(weighted);
}

function singleCluster(name: string) {
  return { case: "cluster", value: name } as const;
}

function weightedClusters(targets: readonly Target[]) {
  const clusters = targets.map((target) => ({ name: targetCluster(target), weight: target.weight }));
  return { case: "weightedClusters", value: { clusters } } as const;
}

function targetCluster({ port, subset, hostname }: Target): string {
  return clusterName(port, subset, hostname);
}
