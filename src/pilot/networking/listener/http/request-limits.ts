import { HttpProtocolOptions_HeadersWithUnderscoresAction as Underscores } from "#gen/envoy/config/core/v3/protocol_pb.js";
import { HttpConnectionManager_PathWithEscapedSlashesAction as EscapedSlashes } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { type Duration, durationOfMs } from "../../../model/duration.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { type ConnectionLimits, edgeLimits } from "../../../model/proxy/connection-limits.ts";
import type { Direction } from "../../filters/filter.ts";
import type { ListenerSettings } from "../listener-settings.ts";

/** The limits for connections of a direction: a router at the edge has strict defaults. */
export function limitsFor(direction: Direction, { proxy }: ListenerSettings): ConnectionLimits {
  const { edge, ...said } = proxy.limits;
  if (!edge || direction !== "gateway") return said;
  return { ...edgeLimits, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) };
}

/** Limits as fields of a connection manager. HTTP/2 options exist only where a limit is set. */
export function requestLimits(limits: ConnectionLimits, settings: ListenerSettings, mesh: MeshSettings) {
  const idleMs = limits.idleMs ?? (settings.idleTimeoutMs === 0 ? undefined : settings.idleTimeoutMs);
  const normalised = normalisation[mesh.pathNormalization];
  return {
    commonHttpProtocolOptions: commonOptions({ ...limits, idleMs }),
    streamIdleTimeout: limit(limits.streamIdleMs ?? 0),
    requestTimeout: limit(limits.requestMs),
    requestHeadersTimeout: limit(limits.requestHeadersMs),
    drainTimeout: limit(limits.drainMs),
    normalizePath: normalised.normalizePath,
    mergeSlashes: limits.mergesSlashes ?? normalised.mergeSlashes,
    pathWithEscapedSlashesAction: escapedSlashes[limits.escapedSlashes ?? normalised.escapedSlashes],
  };
}

/** Undefined where nothing is set. */
export function http2Options({ streams, streamWindowBytes, connectionWindowBytes }: ConnectionLimits) {
  if (streams === undefined && streamWindowBytes === undefined && connectionWindowBytes === undefined) return undefined;
  return {
    maxConcurrentStreams: streams,
    initialStreamWindowSize: streamWindowBytes,
    initialConnectionWindowSize: connectionWindowBytes,
  };
}

function commonOptions({ idleMs, connectionMs, streamMs, underscores }: ConnectionLimits) {
  if ([idleMs, connectionMs, streamMs, underscores].every((limit) => limit === undefined)) return undefined;
  return {
    idleTimeout: limit(idleMs),
    maxConnectionDuration: limit(connectionMs),
    maxStreamDuration: limit(streamMs),
    headersWithUnderscoresAction: underscoresActions[underscores ?? "allow"],
  };
}

function limit(ms: number | undefined): Duration | undefined {
  return ms === undefined ? undefined : durationOfMs(ms);
}

const underscoresActions = {
  allow: Underscores.ALLOW,
  reject: Underscores.REJECT_REQUEST,
  drop: Underscores.DROP_HEADER,
} as const;

const escapedSlashes = {
  keep: EscapedSlashes.KEEP_UNCHANGED,
  reject: EscapedSlashes.REJECT_REQUEST,
  redirect: EscapedSlashes.UNESCAPE_AND_REDIRECT,
  forward: EscapedSlashes.UNESCAPE_AND_FORWARD,
} as const;

const normalisation = {
  none: { normalizePath: false, mergeSlashes: false, escapedSlashes: "keep" },
  base: { normalizePath: true, mergeSlashes: false, escapedSlashes: "keep" },
  "merge-slashes": { normalizePath: true, mergeSlashes: true, escapedSlashes: "keep" },
  "decode-and-merge-slashes": { normalizePath: true, mergeSlashes: true, escapedSlashes: "forward" },
} as const;
