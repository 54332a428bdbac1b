import type {
  LoadBalancerSettings_ConsistentHashLB as ConsistentHashLB,
  LoadBalancerSettings,
  LocalityLoadBalancerSetting,
  ZoneAwareLoadBalancerSetting,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { LoadBalancerSettings_SimpleLB as SimpleLB } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { durationOf } from "../../model/duration.ts";
import type {
  ConsistentHash,
  HashKey,
  LoadBalancer,
  LocalityPolicy,
  Warmup,
} from "../../model/traffic/destination-rule.ts";

export function loadBalancerOf(settings: LoadBalancerSettings): LoadBalancer {
  const { lbPolicy, warmup, warmupDurationSecs } = settings;
  return {
    algorithm: algorithms[lbPolicy.case === "simple" ? lbPolicy.value : SimpleLB.UNSPECIFIED],
    consistentHash: lbPolicy.case === "consistentHash" ? consistentHashOf(lbPolicy.value) : undefined,
    warmup: warmupOf(warmup, warmupDurationSecs),
    localities: localitiesOf(settings),
  };
}

const algorithms: Readonly<Record<SimpleLB, LoadBalancer["algorithm"]>> = {
  [SimpleLB.UNSPECIFIED]: "least-request",
  [SimpleLB.LEAST_CONN]: "least-request",
  [SimpleLB.LEAST_REQUEST]: "least-request",
  [SimpleLB.ROUND_ROBIN]: "round-robin",
  [SimpleLB.RANDOM]: "random",
  [SimpleLB.PASSTHROUGH]: "passthrough",
};

/** Without an algorithm the hash uses a ring, with the size of the older field. */
function consistentHashOf({ hashKey, hashAlgorithm, minimumRingSize }: ConsistentHashLB): ConsistentHash {
  const key = hashKeyOf(hashKey);
  if (hashAlgorithm.case === "maglev") return { key, algorithm: "maglev", size: Number(hashAlgorithm.value.tableSize) };
  if (hashAlgorithm.case === "ringHash") {
    return { key, algorithm: "ring-hash", size: Number(hashAlgorithm.value.minimumRingSize) };
  }
  return { key, algorithm: "ring-hash", size: minimumRingSize === 0n ? 1024 : Number(minimumRingSize) };
}

function hashKeyOf(key: ConsistentHashLB["hashKey"]): HashKey | undefined {
  if (key.case === "httpHeaderName") return { type: "header", name: key.value };
  if (key.case === "httpQueryParameterName") return { type: "query-parameter", name: key.value };
  if (key.case === "useSourceIp" && key.value) return { type: "source-ip" };
  if (key.case !== "httpCookie") return undefined;
  const { name, path, ttl } = key.value;
  const attributes = key.value.attributes.map((each) => ({ name: each.name, value: each.value }));
  return { type: "cookie", name, path, ttl: durationOf(ttl), attributes };
}

/** The older form of a warm-up sets only the window and leaves the curve to Envoy. */
function warmupOf(
  warmup: LoadBalancerSettings["warmup"],
  window: LoadBalancerSettings["warmupDurationSecs"],
): Warmup | undefined {
  const duration = durationOf(warmup?.duration ?? window);
  if (duration === undefined) return undefined;
  if (warmup === undefined) return { duration, curve: undefined };
  return { duration, curve: { minimumPercent: warmup.minimumPercent ?? 10, aggression: warmup.aggression ?? 1 } };
}

/** Zone-aware settings override locality settings where both exist. */
function localitiesOf({ localityLbSetting, zoneAwareLbSetting }: LoadBalancerSettings): LocalityPolicy | undefined {
  if (zoneAwareLbSetting !== undefined) return zoneAwarePolicyOf(zoneAwareLbSetting);
  return localityLbSetting === undefined ? undefined : localityPolicyOf(localityLbSetting);
}

export function localityPolicyOf(setting: LocalityLoadBalancerSetting): LocalityPolicy {
  if (setting.enabled === false) return { type: "off" };
  return {
    type: "locality",
    distribute: setting.distribute.map(({ from, to }) => ({ from, to: new Map(Object.entries(to)) })),
    failover: setting.failover.map(({ from, to }) => ({ from, to })),
    failoverPriority: setting.failoverPriority,
  };
}

export function zoneAwarePolicyOf(setting: ZoneAwareLoadBalancerSetting): LocalityPolicy {
  return {
    type: "zone-aware",
    enabled: setting.enabled ?? true,
    minClusterSize: setting.minClusterSize,
    failover: setting.failover.map(({ from, to }) => ({ from, to })),
    failoverPriority: setting.failoverPriority,
  };
}
