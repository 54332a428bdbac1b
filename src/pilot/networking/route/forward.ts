import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Destination, Forward, HeaderOperations, Rewrite } from "../../model/virtual-service.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import { authorityIn, headerOperationsOf } from "./header-operations.ts";
import { retryPolicyOf } from "./retry-policy.ts";

/** A destination whose port is decided. */
export type Target = Destination & { readonly port: number };

const noTimeout = { seconds: 0n, nanos: 0 };

/** Sends the request to one cluster, or to several by weight. */
export function forwardOf(
  action: Forward,
  targets: readonly Target[],
  headers: HeaderOperations,
  mesh: MeshSettings,
  writer: ProtoWriter,
) {
  const { rewrite } = action;
  const timeout = action.timeout ?? noTimeout;
  const [only] = targets.length === 1 ? targets : [];
  // The rewrite's word stands above that of the headers, and the route's above its destination's.
  const authority = rewrite.authority || authorityIn(headers) || (only === undefined ? "" : authorityIn(only.headers));
  return {
    clusterSpecifier: only === undefined ? weightedClusters(targets) : singleCluster(only),
    prefixRewrite: rewrite.path.type === "prefix" ? rewrite.path.value : "",
    regexRewrite: regexRewriteOf(rewrite),
    hostRewriteSpecifier: hostRewriteOf(authority),
    timeout,
    retryPolicy: retryPolicyOf(action.retries ?? mesh.defaultRetries, writer),
    maxGrpcTimeout: timeout,
  };
}

function singleCluster(target: Target) {
  return { case: "cluster", value: targetCluster(target) } as const;
}

/** Destinations without weight get nothing, so they are left out. */
function weightedClusters(targets: readonly Target[]) {
  const clusters = targets
    .filter(({ weight }) => weight > 0)
    .map((target) => ({
      name: targetCluster(target),
      weight: target.weight,
      ...headerOperationsOf(target.headers),
      hostRewriteSpecifier: hostRewriteOf(authorityIn(target.headers)),
    }));
  return { case: "weightedClusters", value: { clusters } } as const;
}

function targetCluster({ port, subset, hostname }: Target): string {
  return clusterName(port, subset, hostname);
}

function regexRewriteOf({ path }: Rewrite) {
  return path.type === "regex" ? { pattern: { regex: path.pattern }, substitution: path.substitution } : undefined;
}

function hostRewriteOf(authority: string) {
  return authority === "" ? undefined : ({ case: "hostRewriteLiteral", value: authority } as const);
}
