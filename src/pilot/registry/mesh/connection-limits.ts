import type { ProxyConfig_ConnectionSettings as ConnectionSettings } from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import {
  ProxyConfig_ConnectionSettings_PathWithEscapedSlashesAction as EscapedSlashes,
  ProxyConfig_ConnectionSettings_HeadersWithUnderscoresAction as Underscores,
} from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import { durationToMs } from "../../../config/grammar/duration.ts";
import type { ConnectionLimits } from "../../model/proxy/connection-limits.ts";

export function connectionLimitsOf(settings: ConnectionSettings): ConnectionLimits {
  return {
    bufferBytes: settings.listenerPerConnectionBufferLimitBytes,
    idleMs: settings.httpIdleTimeout && durationToMs(settings.httpIdleTimeout),
    connectionMs: settings.httpMaxConnectionDuration && durationToMs(settings.httpMaxConnectionDuration),
    drainMs: settings.httpDrainTimeout && durationToMs(settings.httpDrainTimeout),
    requestMs: settings.httpRequestTimeout && durationToMs(settings.httpRequestTimeout),
    requestHeadersMs: settings.httpRequestHeadersTimeout && durationToMs(settings.httpRequestHeadersTimeout),
    streamIdleMs: settings.httpStreamIdleTimeout && durationToMs(settings.httpStreamIdleTimeout),
    streamMs: settings.httpMaxStreamDuration && durationToMs(settings.httpMaxStreamDuration),
    streams: settings.httpMaxConcurrentStreams,
    streamWindowBytes: settings.http2InitialStreamWindowSize,
    connectionWindowBytes: settings.http2InitialConnectionWindowSize,
    underscores: underscores[settings.httpHeadersWithUnderscoresAction],
    mergesSlashes: settings.httpMergeSlashes,
    escapedSlashes: escapedSlashes[settings.httpPathWithEscapedSlashesAction],
  };
}

const underscores: Readonly<Record<Underscores, ConnectionLimits["underscores"]>> = {
  [Underscores.HEADERS_WITH_UNDERSCORES_UNSPECIFIED]: undefined,
  [Underscores.HEADERS_WITH_UNDERSCORES_ALLOW]: "allow",
  [Underscores.HEADERS_WITH_UNDERSCORES_REJECT_REQUEST]: "reject",
  [Underscores.HEADERS_WITH_UNDERSCORES_DROP_HEADER]: "drop",
};

const escapedSlashes: Readonly<Record<EscapedSlashes, ConnectionLimits["escapedSlashes"]>> = {
  [EscapedSlashes.PATH_WITH_ESCAPED_SLASHES_UNSPECIFIED]: undefined,
  [EscapedSlashes.KEEP_UNCHANGED]: "keep",
  [EscapedSlashes.REJECT_REQUEST]: "reject",
  [EscapedSlashes.UNESCAPE_AND_REDIRECT]: "redirect",
  [EscapedSlashes.UNESCAPE_AND_FORWARD]: "forward",
};
