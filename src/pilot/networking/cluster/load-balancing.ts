import { Cluster_LbPolicy } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { HealthStatus } from "#gen/envoy/config/core/v3/health_check_pb.js";
import type { LoadBalancer, OutlierDetection, PortPolicy, Warmup } from "../../model/destination-rule.ts";
import type { DiscoveryType } from "./discovery-type.ts";

const policies: Readonly<Record<LoadBalancer["algorithm"], Cluster_LbPolicy>> = {
  "least-request": Cluster_LbPolicy.LEAST_REQUEST,
  "round-robin": Cluster_LbPolicy.ROUND_ROBIN,
  random: Cluster_LbPolicy.RANDOM,
  passthrough: Cluster_LbPolicy.CLUSTER_PROVIDED,
};

export function lbPolicyOf({ loadBalancer }: PortPolicy, type: DiscoveryType): Cluster_LbPolicy {
  if (type === "original-dst") return Cluster_LbPolicy.CLUSTER_PROVIDED;
  return policies[loadBalancer?.algorithm ?? "least-request"];
}

/** The words of one way of balancing: of two algorithms their slow start, of none the port to go to instead. */
export function lbConfigOf(
  { loadBalancer }: PortPolicy,
  type: DiscoveryType,
  upstreamPortOverride: number | undefined,
) {
  if (type === "original-dst") {
    if (upstreamPortOverride === undefined) return undefined;
    return { case: "originalDstLbConfig", value: { upstreamPortOverride } } as const;
  }
  const warmup = loadBalancer?.warmup;
  if (warmup === undefined) return undefined;
  const value = { slowStartConfig: slowStartOf(warmup) };
  if (loadBalancer?.algorithm === "least-request") return { case: "leastRequestLbConfig", value } as const;
  if (loadBalancer?.algorithm === "round-robin") return { case: "roundRobinLbConfig", value } as const;
  return undefined;
}

const { HEALTHY, DRAINING, UNKNOWN, DEGRADED } = HealthStatus;

/** Draining endpoints stay reachable for those who have a session with them. */
export function commonLbConfigOf(outliers: OutlierDetection | undefined, sessions: boolean) {
  return {
    healthyPanicThreshold: outliers === undefined ? undefined : { value: outliers.minHealthPercent },
    overrideHostStatus: sessions ? { statuses: [HEALTHY, DRAINING, UNKNOWN, DEGRADED] } : undefined,
  };
}

function slowStartOf({ duration, curve }: Warmup) {
  return {
    slowStartWindow: duration,
    // Envoy insists on a runtime key; this one cannot be set by anybody.
    aggression: curve === undefined ? undefined : { defaultValue: curve.aggression, runtimeKey: "(" },
    minWeightPercent: curve === undefined ? undefined : { value: curve.minimumPercent },
  };
}
