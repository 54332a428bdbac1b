import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Destination, Forward, HttpAction } from "../../model/virtual-service.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import { grpcRetryPolicyOf } from "./grpc-retry-policy.ts";

/** Nobody serves it, so calls that are sent there fail at once. */
const nowhere = "BlackHoleCluster";

/**
 * What clients do with a call to this port. For them there is nothing but sending it on: one that would be redirected or answered on
 * the way fails. To leave such a route out would hand its calls to the routes after it; to name its action would have
 * the whole configuration rejected.
 */
export function grpcActionOf(action: HttpAction, port: number, mesh: MeshSettings) {
  if (action.type !== "forward") return routeTo(singleCluster(nowhere), {});
  const retryPolicy = grpcRetryPolicyOf(action.retries ?? mesh.defaultRetries);
  return routeTo(clustersOf(action.destinations, port), { timeout: action.timeout, retryPolicy });
}

/** All calls to one cluster, as the mesh has it by default. */
export function plainActionOf(cluster: string, mesh: MeshSettings) {
  return routeTo(singleCluster(cluster), { retryPolicy: grpcRetryPolicyOf(mesh.defaultRetries) });
}

type ClusterSpecifier = ReturnType<typeof singleCluster> | ReturnType<typeof weightedClusters>;

interface Patience {
  readonly timeout?: Forward["timeout"];
  readonly retryPolicy?: ReturnType<typeof grpcRetryPolicyOf>;
}

function routeTo(clusterSpecifier: ClusterSpecifier, { timeout, retryPolicy }: Patience) {
  const maxStreamDuration = timeout === undefined ? undefined : { maxStreamDuration: timeout };
  return { case: "route", value: { clusterSpecifier, maxStreamDuration, retryPolicy } } as const;
}

/** A single destination needs no weight; of several, those without weight get nothing. */
function clustersOf(destinations: readonly Destination[], port: number): ClusterSpecifier {
  const weighted = destinations.length === 1 ? destinations : destinations.filter(({ weight }) => weight > 0);
  const [first, ...rest] = weighted;
  if (first === undefined) return singleCluster(nowhere);
  return rest.length === 0 ? singleCluster(clusterOf(first, port)) : weightedClusters(weighted, port);
}

function singleCluster(name: string) {
  return { case: "cluster", value: name } as const;
}

function weightedClusters(destinations: readonly Destination[], port: number) {
  const clusters = destinations.map((each) => ({ name: clusterOf(each, port), weight: each.weight }));
  return { case: "weightedClusters", value: { clusters } } as const;
}

/** Whoever names no port means the one that was called. */
function clusterOf({ hostname, subset, port }: Destination, called: number): string {
  return clusterName(port ?? called, subset, hostname);
}
