import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { AppliedHash, HashLookup } from "../../model/traffic/applied-hash.ts";
import type { Destination, Forward, HttpAction } from "../../model/traffic/virtual-service.ts";
import { blackHoleCluster, clusterName } from "../cluster/cluster-name.ts";
import { hashPoliciesOf } from "../route/action/hash-policy.ts";
import { grpcRetryPolicyOf } from "./grpc-retry-policy.ts";

/**
 * The action of a route for calls to this port. Proxyless clients only support forwarding, so calls to a redirect or
 * direct response fail. Omitting such a route would pass its calls to later routes. Sending its action would make
 * clients reject the whole configuration.
 */
export function grpcActionOf(action: HttpAction, port: number, { mesh, hashes }: Context) {
  if (action.type !== "forward") return routeTo(singleCluster(blackHoleCluster), {});
  const retryPolicy = grpcRetryPolicyOf(action.retries ?? mesh.defaultRetries);
  const hashPolicy = action.destinations.flatMap((destination) => hashPolicyOf(hashes(destination)));
  return routeTo(clustersOf(action.destinations, port), { timeout: action.timeout, retryPolicy, hashPolicy });
}

interface Context {
  readonly mesh: MeshSettings;
  readonly hashes: HashLookup;
}

/** All calls to one cluster, as the mesh has it by default. */
export function plainActionOf(cluster: string, mesh: MeshSettings, hash: AppliedHash | undefined) {
  const retryPolicy = grpcRetryPolicyOf(mesh.defaultRetries);
  return routeTo(singleCluster(cluster), { retryPolicy, hashPolicy: hashPolicyOf(hash) });
}

/** Clients can hash calls by headers only. */
function hashPolicyOf(applied: AppliedHash | undefined) {
  const key = applied?.hash.key;
  return key?.type === "header" ? hashPoliciesOf(key) : [];
}

type ClusterSpecifier = ReturnType<typeof singleCluster> | ReturnType<typeof weightedClusters>;

interface ForwardOptions {
  readonly timeout?: Forward["timeout"];
  readonly retryPolicy?: ReturnType<typeof grpcRetryPolicyOf>;
  readonly hashPolicy?: ReturnType<typeof hashPolicyOf>;
}

function routeTo(clusterSpecifier: ClusterSpecifier, { timeout, retryPolicy, hashPolicy = [] }: ForwardOptions) {
  const maxStreamDuration = timeout === undefined ? undefined : { maxStreamDuration: timeout };
  return { case: "route", value: { clusterSpecifier, maxStreamDuration, retryPolicy, hashPolicy } } as const;
}

/** A single destination needs no weight; of several, those without weight get nothing. */
function clustersOf(destinations: readonly Destination[], port: number): ClusterSpecifier {
  const weighted = destinations.length === 1 ? destinations : destinations.filter(({ weight }) => weight > 0);
  const [first, ...rest] = weighted;
  if (first === undefined) return singleCluster(blackHoleCluster);
  return rest.length === 0 ? singleCluster(clusterOf(first, port)) : weightedClusters(weighted, port);
}

function singleCluster(name: string) {
  return { case: "cluster", value: name } as const;
}

function weightedClusters(destinations: readonly Destination[], port: number) {
  const clusters = destinations.map((each) => ({ name: clusterOf(each, port), weight: each.weight }));
  return { case: "weightedClusters", value: { clusters } } as const;
}

/** A destination without a port uses the called port. */
function clusterOf({ hostname, subset, port }: Destination, called: number): string {
  return clusterName(port ?? called, subset, hostname);
}
