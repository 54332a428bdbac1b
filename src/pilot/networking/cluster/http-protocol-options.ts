import { HttpProtocolOptionsSchema } from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import { isHttp, isHttp2, type Protocol } from "../../model/service/service.ts";
import type { ConnectionPool } from "../../model/traffic/destination-rule.ts";
import { preservingCase } from "../preserving-case.ts";
import { positive } from "./positive.ts";

/** The HTTP version towards endpoints; `as-client` uses the client's version. */
export type UpstreamHttp = "http1" | "http2" | "as-client";

interface HttpInputs {
  readonly protocol: Protocol;
  readonly pool: ConnectionPool | undefined;
  /** The proxy detects the protocol of clients on ports without a declared protocol. */
  readonly sniffs: boolean;
  /** Upgrades HTTP/1 to HTTP/2. */
  readonly upgrades: boolean;
}

export function upstreamHttpOf({ protocol, pool, sniffs, upgrades }: HttpInputs): UpstreamHttp {
  if (pool?.useClientProtocol) return "as-client";
  if (isHttp2(protocol)) return "http2";
  if (sniffs && protocol === "auto") return "as-client";
  return upgrades ? "http2" : "http1";
}

/** The mesh setting applies to ports with HTTP. The destination's setting applies to all ports, and may disable it. */
export function upgradesToHttp2(protocol: Protocol, pool: ConnectionPool | undefined, meshUpgrades: boolean): boolean {
  const setting = pool?.h2Upgrade ?? "default";
  if (setting === "default") return meshUpgrades && protocol === "HTTP";
  return setting === "always";
}

/** How the SNI is chosen: from the request, unless a rule sets it. */
export interface NamesFromRequest {
  readonly autoSni: boolean;
  readonly autoSanValidation: boolean;
}

/** HTTP options towards endpoints. */
export interface UpstreamOptions {
  readonly http: UpstreamHttp;
  readonly pool: ConnectionPool | undefined;
  readonly names?: NamesFromRequest | undefined;
  /** HTTP/1 headers keep their case. */
  readonly keepsCase: boolean;
  /** The statuses that outlier detection counts as errors; empty or undefined for the default. */
  readonly errorCodes?: readonly number[] | undefined;
}

/** Headers can keep their case if HTTP/1 is possible. */
export function keepsHeaderCase(protocol: Protocol, { preserveHeaderCase }: MeshSettings): boolean {
  return preserveHeaderCase && (protocol === "auto" || (isHttp(protocol) && !isHttp2(protocol)));
}

/** By the name of the extension; undefined when no option is needed: Envoy then uses HTTP/1.1. */
export function httpProtocolOptionsOf(
  options: UpstreamOptions,
  writer: ProtoWriter,
): Readonly<Record<string, Uint8Array>> | undefined {
  const { http, pool, names, keepsCase, errorCodes = [] } = options;
  const common = commonOptionsOf(pool);
  const isPlain = common === undefined && names === undefined && !keepsCase && errorCodes.length === 0;
  if (http === "http1" && isPlain) return undefined;
  const any = writer.any(HttpProtocolOptionsSchema, {
    commonHttpProtocolOptions: common,
    upstreamHttpProtocolOptions: names,
    upstreamProtocolOptions: protocolOptions(options, writer),
    outlierDetection: errorCodes.length === 0 ? undefined : { errorMatcher: { rule: matchStatuses(errorCodes) } },
  });
  return { [HttpProtocolOptionsSchema.typeName]: any };
}

/** Matches responses with one of these statuses. Envoy requires at least two rules in a list of alternatives. */
function matchStatuses(codes: readonly number[]) {
  const [first, ...others] = codes.map(matchStatus);
  if (first !== undefined && others.length === 0) return first;
  return { case: "orMatch", value: { rules: codes.map((code) => ({ rule: matchStatus(code) })) } } as const;
}

function matchStatus(code: number) {
  const stringMatch = { matchPattern: { case: "exact", value: String(code) } } as const;
  const header = { name: ":status", headerMatchSpecifier: { case: "stringMatch", value: stringMatch } } as const;
  return { case: "httpResponseHeadersMatch", value: { headers: [header] } } as const;
}

function protocolOptions({ http, pool, keepsCase }: UpstreamOptions, writer: ProtoWriter) {
  const httpProtocolOptions = http1Options(keepsCase, writer);
  if (http === "as-client") {
    const value = { httpProtocolOptions, http2ProtocolOptions: {} };
    return { case: "useDownstreamProtocolConfig", value } as const;
  }
  const protocolConfig =
    http === "http2" ? http2Options(pool) : ({ case: "httpProtocolOptions", value: httpProtocolOptions } as const);
  return { case: "explicitHttpConfig", value: { protocolConfig } } as const;
}

export function http1Options(keepsCase: boolean, writer: ProtoWriter) {
  return keepsCase ? { headerKeyFormat: preservingCase(writer) } : {};
}

function http2Options(pool: ConnectionPool | undefined) {
  return {
    case: "http2ProtocolOptions",
    value: { maxConcurrentStreams: positive(pool?.maxConcurrentStreams), connectionKeepalive: pool?.http2Keepalive },
  } as const;
}

/** HTTP/2 options belong to another message, but they still require this whole message. */
function commonOptionsOf(pool: ConnectionPool | undefined) {
  if (pool === undefined) return undefined;
  const { idleTimeout, maxConnectionDuration, http2Keepalive } = pool;
  const maxRequestsPerConnection = positive(pool.maxRequestsPerConnection);
  const maxConcurrentStreams = positive(pool.maxConcurrentStreams);
  const said = [idleTimeout, maxConnectionDuration, maxRequestsPerConnection, maxConcurrentStreams, http2Keepalive];
  if (said.every((value) => value === undefined)) return undefined;
  return { idleTimeout, maxConnectionDuration, maxRequestsPerConnection };
}
