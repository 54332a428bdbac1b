import type {
  ConnectionPoolSettings,
  LoadBalancerSettings_ConsistentHashLB as ConsistentHashLB,
  OutlierDetection as IstioOutlierDetection,
  TrafficPolicy as IstioTrafficPolicy,
  LoadBalancerSettings,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import {
  ConnectionPoolSettings_HTTPSettings_H2UpgradePolicy as H2UpgradePolicy,
  LoadBalancerSettings_SimpleLB as SimpleLB,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type {
  ConnectionPool,
  ConsistentHash,
  HashKey,
  LoadBalancer,
  OutlierDetection,
  PortPolicy,
  TcpKeepalive,
  TrafficPolicy,
  Warmup,
} from "../model/destination-rule.ts";
import { clientTlsOf } from "./client-tls.ts";
import { durationOf } from "./duration.ts";

type PortSettings = Pick<IstioTrafficPolicy, "loadBalancer" | "connectionPool" | "outlierDetection" | "tls">;
type KeepaliveSettings = NonNullable<NonNullable<ConnectionPoolSettings["tcp"]>["tcpKeepalive"]>;

export function trafficPolicyOf(policy: IstioTrafficPolicy): TrafficPolicy {
  const ports = policy.portLevelSettings.map(
    (settings) => [settings.port?.number ?? 0, portPolicyOf(settings)] as const,
  );
  return { ...portPolicyOf(policy), ports: new Map(ports) };
}

function portPolicyOf({ loadBalancer, connectionPool, outlierDetection, tls }: PortSettings): PortPolicy {
  return {
    loadBalancer: loadBalancer === undefined ? undefined : loadBalancerOf(loadBalancer),
    connectionPool: connectionPool === undefined ? undefined : connectionPoolOf(connectionPool),
    outlierDetection: outlierDetection === undefined ? undefined : outlierDetectionOf(outlierDetection),
    tls: tls === undefined ? undefined : clientTlsOf(tls),
  };
}

function loadBalancerOf({ lbPolicy, warmup, warmupDurationSecs }: LoadBalancerSettings): LoadBalancer {
  return {
    algorithm: algorithms[lbPolicy.case === "simple" ? lbPolicy.value : SimpleLB.UNSPECIFIED],
    consistentHash: lbPolicy.case === "consistentHash" ? consistentHashOf(lbPolicy.value) : undefined,
    warmup: warmupOf(warmup, warmupDurationSecs),
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

/** Who names no algorithm has the ring, of the size that the older field gives. */
function consistentHashOf({ hashKey, hashAlgorithm, minimumRingSize }: ConsistentHashLB): ConsistentHash {
  const key = hashKeyOf(hashKey);
  if (hashAlgorithm.case === "maglev") return { key, algorithm: "maglev", size: Number(hashAlgorithm.value.tableSize) };
  if (hashAlgorithm.case === "ringHash") {
    return { key, algorithm: "ring-hash", size: Number(hashAlgorithm.value.minimumRingSize) };
  }
  return { key, algorithm: "ring-hash", size: minimumRingSize === 0n ? 1024 : Number(minimumRingSize) };
}

function hashKeyOf(key: ConsistentHashLB["hashKey"]): HashKey | undefined {
  switch (key.case) {
    case "httpHeaderName":
      return { type: "header", name: key.value };
    case "httpQueryParameterName":
      return { type: "query-parameter", name: key.value };
    case "useSourceIp":
      return key.value ? { type: "source-ip" } : undefined;
    case "httpCookie": {
      const { name, path, ttl } = key.value;
      const attributes = key.value.attributes.map((each) => ({ name: each.name, value: each.value }));
      return { type: "cookie", name, path, ttl: durationOf(ttl), attributes };
    }
    case undefined:
      return undefined;
  }
}

/** The older form of a warm-up gives the window alone and leaves the curve to Envoy. */
function warmupOf(
  warmup: LoadBalancerSettings["warmup"],
  window: LoadBalancerSettings["warmupDurationSecs"],
): Warmup | undefined {
  const duration = durationOf(warmup?.duration ?? window);
  if (duration === undefined) return undefined;
  if (warmup === undefined) return { duration, curve: undefined };
  return { duration, curve: { minimumPercent: warmup.minimumPercent ?? 10, aggression: warmup.aggression ?? 1 } };
}

export function connectionPoolOf({ tcp, http }: ConnectionPoolSettings): ConnectionPool {
  return {
    maxConnections: tcp?.maxConnections ?? 0,
    maxPendingRequests: http?.http1MaxPendingRequests ?? 0,
    maxRequests: http?.http2MaxRequests ?? 0,
    maxRetries: http?.maxRetries ?? 0,
    maxRequestsPerConnection: http?.maxRequestsPerConnection ?? 0,
    maxConcurrentStreams: http?.maxConcurrentStreams ?? 0,
    connectTimeout: durationOf(tcp?.connectTimeout),
    idleTimeout: durationOf(http?.idleTimeout ?? tcp?.idleTimeout),
    tcpIdleTimeout: durationOf(tcp?.idleTimeout),
    maxConnectionDuration: durationOf(tcp?.maxConnectionDuration),
    tcpKeepalive: tcp?.tcpKeepalive === undefined ? undefined : tcpKeepaliveOf(tcp.tcpKeepalive),
    h2Upgrade: h2Upgrades[http?.h2UpgradePolicy ?? H2UpgradePolicy.DEFAULT],
    useClientProtocol: http?.useClientProtocol ?? false,
  };
}

const h2Upgrades: Readonly<Record<H2UpgradePolicy, ConnectionPool["h2Upgrade"]>> = {
  [H2UpgradePolicy.DEFAULT]: "default",
  [H2UpgradePolicy.DO_NOT_UPGRADE]: "never",
  [H2UpgradePolicy.UPGRADE]: "always",
};

export function tcpKeepaliveOf({ probes, time, interval }: KeepaliveSettings): TcpKeepalive {
  return { probes, time: Number(time?.seconds ?? 0n), interval: Number(interval?.seconds ?? 0n) };
}

export function outlierDetectionOf(detection: IstioOutlierDetection): OutlierDetection {
  return {
    consecutive5xx: detection.consecutive5xxErrors,
    consecutiveGatewayErrors: detection.consecutiveGatewayErrors,
    consecutiveLocalOriginFailures: detection.consecutiveLocalOriginFailures,
    splitExternalLocalOriginErrors: detection.splitExternalLocalOriginErrors,
    interval: durationOf(detection.interval),
    baseEjectionTime: durationOf(detection.baseEjectionTime),
    maxEjectionPercent: detection.maxEjectionPercent,
    minHealthPercent: detection.minHealthPercent,
  };
}
