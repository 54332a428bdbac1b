import type {
  ConnectionPoolSettings,
  OutlierDetection as IstioOutlierDetection,
  TrafficPolicy as IstioTrafficPolicy,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import {
  ConnectionPoolSettings_HTTPSettings_H2UpgradePolicy as H2UpgradePolicy,
  TrafficPolicy_ProxyProtocol_VERSION as ProxyProtocolVersion,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { durationOf } from "../../model/duration.ts";
import type {
  ConnectionPool,
  OutlierDetection,
  PortPolicy,
  RetryBudget,
  TcpKeepalive,
  TrafficPolicy,
  Tunnel,
} from "../../model/traffic/destination-rule.ts";
import { clientTlsOf } from "./client-tls.ts";
import { loadBalancerOf } from "./load-balancer.ts";

type PortSettings = Pick<IstioTrafficPolicy, "loadBalancer" | "connectionPool" | "outlierDetection" | "tls">;
type PingSettings = NonNullable<NonNullable<ConnectionPoolSettings["http"]>["http2KeepAlive"]>;
type KeepaliveSettings = NonNullable<NonNullable<ConnectionPoolSettings["tcp"]>["tcpKeepalive"]>;

export function trafficPolicyOf(policy: IstioTrafficPolicy): TrafficPolicy {
  const ports = policy.portLevelSettings.map(
    (settings) => [settings.port?.number ?? 0, portPolicyOf(settings)] as const,
  );
  return {
    ...portPolicyOf(policy),
    proxyProtocol: policy.proxyProtocol === undefined ? undefined : proxyProtocols[policy.proxyProtocol.version],
    retryBudget: policy.retryBudget === undefined ? undefined : retryBudgetOf(policy.retryBudget),
    tunnel: policy.tunnel === undefined ? undefined : tunnelOf(policy.tunnel),
    ports: new Map(ports),
  };
}

const proxyProtocols: Readonly<Record<ProxyProtocolVersion, TrafficPolicy["proxyProtocol"]>> = {
  [ProxyProtocolVersion.V1]: "v1",
  [ProxyProtocolVersion.V2]: "v2",
};

function retryBudgetOf(budget: NonNullable<IstioTrafficPolicy["retryBudget"]>): RetryBudget {
  return {
    percent: budget.percent ?? 20,
    minRetryConcurrency: budget.minRetryConcurrency === 0 ? 3 : budget.minRetryConcurrency,
    interval: durationOf(budget.budgetInterval),
  };
}

function tunnelOf({ protocol, targetHost, targetPort }: NonNullable<IstioTrafficPolicy["tunnel"]>): Tunnel {
  return { method: protocol === "POST" ? "POST" : "CONNECT", targetHost, targetPort };
}

function portPolicyOf({ loadBalancer, connectionPool, outlierDetection, tls }: PortSettings): PortPolicy {
  return {
    loadBalancer: loadBalancer === undefined ? undefined : loadBalancerOf(loadBalancer),
    connectionPool: connectionPool === undefined ? undefined : connectionPoolOf(connectionPool),
    outlierDetection: outlierDetection === undefined ? undefined : outlierDetectionOf(outlierDetection),
    tls: tls === undefined ? undefined : clientTlsOf(tls),
  };
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
    http2Keepalive: http?.http2KeepAlive === undefined ? undefined : http2KeepaliveOf(http.http2KeepAlive),
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

function http2KeepaliveOf({ interval, timeout }: PingSettings): ConnectionPool["http2Keepalive"] {
  return { interval: durationOf(interval), timeout: durationOf(timeout) };
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
    errorCodes: detection.outlierDetectionHttpErrorCodes,
  };
}
