import { Cluster_LbPolicy } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { HealthStatus } from "#gen/envoy/config/core/v3/health_check_pb.js";
import { keepsSessions, type Service } from "../../../model/service/service.ts";
import type { ConsistentHash, LoadBalancer, PortPolicy, Warmup } from "../../../model/traffic/destination-rule.ts";
import { type LocalitySetting, localityConfigOf } from "../../endpoint/locality-policy.ts";
import type { DiscoveryType } from "./discovery-type.ts";

const policies: Readonly<Record<LoadBalancer["algorithm"], Cluster_LbPolicy>> = {
  "least-request": Cluster_LbPolicy.LEAST_REQUEST,
  "round-robin": Cluster_LbPolicy.ROUND_ROBIN,
  random: Cluster_LbPolicy.RANDOM,
  passthrough: Cluster_LbPolicy.CLUSTER_PROVIDED,
};

const hashPolicies: Readonly<Record<ConsistentHash["algorithm"], Cluster_LbPolicy>> = {
  "ring-hash": Cluster_LbPolicy.RING_HASH,
  maglev: Cluster_LbPolicy.MAGLEV,
};

export function lbPolicyOf({ loadBalancer }: PortPolicy, type: DiscoveryType): Cluster_LbPolicy {
  if (type === "original-dst" || type === "forward-proxy") return Cluster_LbPolicy.CLUSTER_PROVIDED;
  if (loadBalancer?.consistentHash !== undefined) return hashPolicies[loadBalancer.consistentHash.algorithm];
  return policies[loadBalancer?.algorithm ?? "least-request"];
}

/** The options of one load balancing policy: ring sizes, slow start, or the original destination's port. */
export function lbConfigOf(
  { loadBalancer }: PortPolicy,
  type: DiscoveryType,
  upstreamPortOverride: number | undefined,
) {
  if (type === "original-dst") {
    if (upstreamPortOverride === undefined) return undefined;
    return { case: "originalDstLbConfig", value: { upstreamPortOverride } } as const;
  }
  if (loadBalancer === undefined || type === "forward-proxy") return undefined;
  if (loadBalancer.consistentHash !== undefined) return hashConfigOf(loadBalancer.consistentHash);
  return loadBalancer.warmup === undefined ? undefined : warmupConfigOf(loadBalancer.algorithm, loadBalancer.warmup);
}

function hashConfigOf({ algorithm, size }: ConsistentHash) {
  if (size === 0) return undefined;
  return algorithm === "maglev"
    ? ({ case: "maglevLbConfig", value: { tableSize: BigInt(size) } } as const)
    : ({ case: "ringHashLbConfig", value: { minimumRingSize: BigInt(size) } } as const);
}

function warmupConfigOf(algorithm: LoadBalancer["algorithm"], warmup: Warmup) {
  const value = { slowStartConfig: slowStartOf(warmup) };
  if (algorithm === "least-request") return { case: "leastRequestLbConfig", value } as const;
  return algorithm === "round-robin" ? ({ case: "roundRobinLbConfig", value } as const) : undefined;
}

function slowStartOf({ duration, curve }: Warmup) {
  return {
    slowStartWindow: duration,
    // Envoy requires a runtime key; nobody can set this one.
    aggression: curve === undefined ? undefined : { defaultValue: curve.aggression, runtimeKey: "(" },
    minWeightPercent: curve === undefined ? undefined : { value: curve.minimumPercent },
  };
}

const { HEALTHY, DRAINING, UNKNOWN, DEGRADED } = HealthStatus;

/** Draining endpoints stay reachable for clients with a session. */
export function commonLbConfigOf(
  { outlierDetection }: PortPolicy,
  service: Service,
  localitySetting: LocalitySetting,
  type: DiscoveryType,
) {
  const keepsHosts = keepsSessions(service) ? { statuses: [HEALTHY, DRAINING, UNKNOWN, DEGRADED] } : undefined;
  return {
    healthyPanicThreshold: panicThresholdOf(outlierDetection, service),
    localityConfigSpecifier:
      type === "original-dst" || type === "forward-proxy" ? undefined : localityConfigOf(localitySetting),
    overrideHostStatus: keepsHosts,
  };
}

/**
 * Below this threshold Envoy also sends to unhealthy endpoints. Where unhealthy endpoints are listed, this is never
 * wanted.
 */
function panicThresholdOf(outliers: PortPolicy["outlierDetection"], { trafficDistribution }: Service) {
  if (trafficDistribution !== "any") return { value: 0 };
  return outliers === undefined ? undefined : { value: outliers.minHealthPercent };
}
