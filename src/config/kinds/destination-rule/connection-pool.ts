import type { Duration } from "@bufbuild/protobuf/wkt";
import {
  type ConnectionPoolSettings,
  type ConnectionPoolSettings_HTTPSettings,
  type ConnectionPoolSettings_TCPSettings,
  type ConnectionPoolSettings_TCPSettings_TcpKeepalive as TcpKeepalive,
  ConnectionPoolSettings_HTTPSettings_H2UpgradePolicy as UpgradePolicy,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import { durationToMs } from "../../grammar/duration.ts";
import { notNegative, positiveDuration, wholeSeconds } from "../../rules/amount.ts";

/** Limits on connections and requests. Sidecars also apply them to inbound traffic. */
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
    ...(isZero(tcp.idleTimeout) ? [] : positiveDuration(tcp.idleTimeout, `${path}.idleTimeout`)),
    ...positiveDuration(tcp.maxConnectionDuration, `${path}.maxConnectionDuration`),
    ...tcpKeepalive(tcp.tcpKeepalive, `${path}.tcpKeepalive`),
  ];
}

export function tcpKeepalive(keepalive: TcpKeepalive | undefined, path: string): readonly Finding[] {
  return (["time", "interval"] as const).flatMap((field) => wholeSeconds(keepalive?.[field], fieldPath(path, field)));
}

/** Zero switches this timeout off. */
function isZero(duration: Duration | undefined): boolean {
  return duration !== undefined && durationToMs(duration) === 0;
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
    ...positiveDuration(http.idleTimeout, `${path}.idleTimeout`),
    ...errorUnless(!http.useClientProtocol || http.h2UpgradePolicy !== UpgradePolicy.UPGRADE, path, {
      code: "conflicting-fields",
      message: "useClientProtocol cannot be combined with the h2UpgradePolicy UPGRADE",
    }),
    ...(http.http2KeepAlive === undefined ? [] : keepAlive(http.http2KeepAlive, `${path}.http2KeepAlive`)),
  ];
}

type KeepAlive = NonNullable<ConnectionPoolSettings_HTTPSettings["http2KeepAlive"]>;

function keepAlive(settings: KeepAlive, path: string): readonly Finding[] {
  return (["interval", "timeout"] as const).flatMap((field) => [
    ...errorUnless(settings[field] !== undefined, fieldPath(path, field), {
      code: "missing-duration",
      message: `a keepalive of HTTP/2 needs ${field}`,
    }),
    ...positiveDuration(settings[field], fieldPath(path, field)),
  ]);
}
