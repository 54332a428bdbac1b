import { HttpProtocolOptionsSchema } from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { ConnectionPool } from "../../model/destination-rule.ts";
import { isHttp2 } from "../../model/protocol-class.ts";
import type { Port } from "../../model/service.ts";

export const httpProtocolOptionsName = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

/** Undefined when nothing has to be said: Envoy then speaks HTTP/1.1. */
export function httpProtocolOptionsOf(
  port: Port,
  pool: ConnectionPool | undefined,
  meshUpgrades: boolean,
  writer: ProtoWriter,
): Uint8Array | undefined {
  const useClientProtocol = pool?.useClientProtocol ?? false;
  const http2 = isHttp2(port.protocol) || (!useClientProtocol && upgrades(port, pool, meshUpgrades));
  const common = commonOptionsOf(pool);
  if (!http2 && !useClientProtocol && common === undefined) return undefined;
  const http2ProtocolOptions = http2 ? http2OptionsOf(pool) : {};
  return writer.any(HttpProtocolOptionsSchema, {
    commonHttpProtocolOptions: common,
    upstreamProtocolOptions: useClientProtocol
      ? { case: "useDownstreamProtocolConfig", value: { httpProtocolOptions: {}, http2ProtocolOptions } }
      : { case: "explicitHttpConfig", value: { protocolConfig: explicitConfig(http2, http2ProtocolOptions) } },
  });
}

type Http2Options = ReturnType<typeof http2OptionsOf> | Record<string, never>;

function explicitConfig(http2: boolean, http2ProtocolOptions: Http2Options) {
  return http2
    ? ({ case: "http2ProtocolOptions", value: http2ProtocolOptions } as const)
    : ({ case: "httpProtocolOptions", value: {} } as const);
}

/** The mesh's wish holds for ports that say HTTP; the destination's for all, and it may also refuse. */
function upgrades(port: Port, pool: ConnectionPool | undefined, meshUpgrades: boolean): boolean {
  const wish = pool?.h2Upgrade ?? "default";
  if (wish === "default") return meshUpgrades && port.protocol === "HTTP";
  return wish === "always";
}

function commonOptionsOf(pool: ConnectionPool | undefined) {
  if (pool === undefined) return undefined;
  const { idleTimeout, maxConnectionDuration, maxRequestsPerConnection, maxConcurrentStreams } = pool;
  const limited = maxRequestsPerConnection > 0 || maxConcurrentStreams > 0;
  if (idleTimeout === undefined && maxConnectionDuration === undefined && !limited) return undefined;
  return {
    idleTimeout,
    maxConnectionDuration,
    maxRequestsPerConnection: maxRequestsPerConnection > 0 ? maxRequestsPerConnection : undefined,
  };
}

function http2OptionsOf(pool: ConnectionPool | undefined) {
  const streams = pool?.maxConcurrentStreams ?? 0;
  return { maxConcurrentStreams: streams > 0 ? streams : undefined };
}
