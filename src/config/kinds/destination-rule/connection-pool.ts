import type {
  ConnectionPoolSettings,
  ConnectionPoolSettings_HTTPSettings,
  ConnectionPoolSettings_TCPSettings,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless } from "../../finding.ts";
import type { Finding } from "../../kind.ts";
import { notNegative, positiveDuration } from "../../rules/amount.ts";

/** Limits on connections and requests. Sidecars have them for what comes in, too. */
export function connectionPool(pool: ConnectionPoolSettings | undefined, path: string): readonly Finding[] {
  if (pool === undefined) return [];
  return [
    ...errorUnless(pool.http !== undefined || pool.tcp !== undefined, path, {
      code: "empty-policy",
      message: "a connection pool needs tcp or http",
    }),
    ...(pool.tcp === undefined ? [] : tcpSettings(pool.tcp, `${path}.tcp`)),
    ...(pool.http === undefined ? [] : httpSettings(pool.http, `${path}.http`)),
  ];
}

function tcpSettings(tcp: ConnectionPoolSettings_TCPSettings, path: string): readonly Finding[] {
  return [
    ...notNegative(tcp.maxConnections, `${path}.maxConnections`),
    ...positiveDuration(tcp.connectTimeout, `${path}.connectTimeout`),
    ...positiveDuration(tcp.maxConnectionDuration, `${path}.maxConnectionDuration`),
    ...positiveDuration(tcp.tcpKeepalive?.time, `${path}.tcpKeepalive.time`),
    ...positiveDuration(tcp.tcpKeepalive?.interval, `${path}.tcpKeepalive.interval`),
  ];
}

const counts = [
  "http1MaxPendingRequests",
  "http2MaxRequests",
  "maxRequestsPerConnection",
  "maxRetries",
  "maxConcurrentStreams",
] as const;

function httpSettings(http: ConnectionPoolSettings_HTTPSettings, path: string): readonly Finding[] {
  return [
    ...counts.flatMap((count) => notNegative(http[count], fieldPath(path, count))),
    ...positiveDuration(http.http2KeepAlive?.interval, `${path}.http2KeepAlive.interval`),
    ...positiveDuration(http.http2KeepAlive?.timeout, `${path}.http2KeepAlive.timeout`),
  ];
}
