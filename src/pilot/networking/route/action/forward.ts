import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { zeroDuration } from "../../../model/duration.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { HeaderOperations, Rewrite } from "../../../model/traffic/virtual-service.ts";
import { blackHoleCluster, clusterName } from "../../cluster/cluster-name.ts";
import { fractionalPercentOf } from "../../fractional-percent.ts";
import { hashPoliciesOf } from "./hash-policy.ts";
import { authorityIn, buildHeaderOperations } from "./header-operations.ts";
import { buildRetryPolicy } from "./retry-policy.ts";
import type { MirrorTarget, RouteTarget, TargetedForward } from "./targets.ts";

interface Context {
  readonly mesh: MeshSettings;
  readonly settings: ForwardSettings;
}

/** The settings of a proxy that routes depend on. */
export type ForwardSettings = Pick<RouteSettings, "appendsForwardedHost">;

/** Sends the request to one cluster, or to several by weight, and copies of it to mirrors. */
export function forwardOf(
  action: TargetedForward,
  headers: HeaderOperations,
  { mesh, settings }: Context,
  writer: ProtoWriter,
) {
  const { rewrite, destinations: targets } = action;
  const timeout = action.timeout ?? zeroDuration;
  const [only] = targets.length === 1 ? targets : [];
  // The rewrite overrides the host header, and the route overrides its destination.
  const authority = rewrite.authority || authorityIn(headers) || (only === undefined ? "" : authorityIn(only.headers));
  return {
    clusterSpecifier: only === undefined ? weightedClusters(targets) : singleCluster(only),
    prefixRewrite: rewrite.path.type === "prefix" ? rewrite.path.value : "",
    regexRewrite: regexRewriteOf(rewrite),
    appendXForwardedHost: settings.appendsForwardedHost && isRewritten(rewrite),
    hostRewriteSpecifier: hostRewriteOf(authority),
    timeout,
    retryPolicy: buildRetryPolicy(action.retries ?? mesh.defaultRetries, action.sticky, writer),
    requestMirrorPolicies: action.mirrors.map(mirrorPolicyOf),
    maxGrpcTimeout: timeout,
    hashPolicy: weightedTargets(targets).flatMap(({ hash }) => hashPoliciesOf(hash?.hash.key)),
  };
}

function isRewritten({ path, authority }: Rewrite): boolean {
  return path.type !== "none" || authority !== "";
}

function singleCluster(target: RouteTarget) {
  return { case: "cluster", value: targetCluster(target) } as const;
}

/** Without any weight there is no destination, and Envoy would reject such a route. */
function weightedClusters(targets: readonly RouteTarget[]) {
  const clusters = weightedTargets(targets).map((target) => ({
    name: targetCluster(target),
    weight: target.weight,
    ...buildHeaderOperations(target.headers),
    hostRewriteSpecifier: hostRewriteOf(authorityIn(target.headers)),
  }));
  if (clusters.length === 0) return { case: "cluster", value: blackHoleCluster } as const;
  return { case: "weightedClusters", value: { clusters } } as const;
}

/** Of several destinations, those without weight get nothing, so they are left out. */
function weightedTargets(targets: readonly RouteTarget[]): readonly RouteTarget[] {
  return targets.length === 1 ? targets : targets.filter(({ weight }) => weight > 0);
}

/** A mirror gets the original host without a shadow suffix, and is not traced. */
function mirrorPolicyOf(mirror: MirrorTarget) {
  return {
    cluster: targetCluster(mirror),
    runtimeFraction: { defaultValue: fractionalPercentOf(mirror.fraction) },
    traceSampled: false,
    disableShadowHostSuffixAppend: true,
  };
}

function targetCluster({ port, subset, hostname }: RouteTarget | MirrorTarget): string {
  return clusterName(port, subset, hostname);
}

function regexRewriteOf({ path }: Rewrite) {
  return path.type === "regex" ? { pattern: { regex: path.pattern }, substitution: path.substitution } : undefined;
}

function hostRewriteOf(authority: string) {
  return authority === "" ? undefined : ({ case: "hostRewriteLiteral", value: authority } as const);
}
