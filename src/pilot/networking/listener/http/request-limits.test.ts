import { describe, expect, test } from "vitest";
import { HttpProtocolOptions_HeadersWithUnderscoresAction as Underscores } from "#gen/envoy/config/core/v3/protocol_pb.js";
import { HttpConnectionManager_PathWithEscapedSlashesAction as EscapedSlashes } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { defaultMeshSettings } from "../../../model/mesh-settings.ts";
import type { ConnectionLimits } from "../../../model/proxy/connection-limits.ts";
import { edgeLimits } from "../../../model/proxy/connection-limits.ts";
import { defaultProxySettings } from "../../../model/proxy/proxy-settings.ts";
import { defaultListenerSettings } from "../listener-settings.ts";
import { http2Options, limitsFor, requestLimits } from "./request-limits.ts";

function settingsWith(limits: ConnectionLimits, edge = false) {
  return { ...defaultListenerSettings, proxy: { ...defaultProxySettings, limits: { ...limits, edge } } };
}

function fieldsOf(limits: ConnectionLimits, mesh: Partial<MeshSettings> = {}) {
  return requestLimits(limits, defaultListenerSettings, { ...defaultMeshSettings, ...mesh });
}

describe("the request limits of a proxy", () => {
  test("are Envoy's defaults if unset, except that streams may idle", () => {
    expect(fieldsOf({})).toEqual({
      commonHttpProtocolOptions: undefined,
      streamIdleTimeout: { seconds: 0n, nanos: 0 },
      requestTimeout: undefined,
      requestHeadersTimeout: undefined,
      drainTimeout: undefined,
      normalizePath: true,
      mergeSlashes: false,
      pathWithEscapedSlashesAction: EscapedSlashes.KEEP_UNCHANGED,
    });
    expect(http2Options({})).toBeUndefined();
  });

  test("are those of the proxy settings", () => {
    const limits = { idleMs: 1500, connectionMs: 2000, streamMs: 3000, requestMs: 4000, requestHeadersMs: 5000 };
    expect(fieldsOf({ ...limits, streamIdleMs: 6000, drainMs: 7000, underscores: "drop" })).toMatchObject({
      commonHttpProtocolOptions: {
        idleTimeout: { seconds: 1n, nanos: 500_000_000 },
        maxConnectionDuration: { seconds: 2n },
        maxStreamDuration: { seconds: 3n },
        headersWithUnderscoresAction: Underscores.DROP_HEADER,
      },
      requestTimeout: { seconds: 4n },
      requestHeadersTimeout: { seconds: 5n },
      streamIdleTimeout: { seconds: 6n },
      drainTimeout: { seconds: 7n },
    });
    expect(http2Options({ streams: 100, streamWindowBytes: 65_536 })).toEqual({
      maxConcurrentStreams: 100,
      initialStreamWindowSize: 65_536,
      initialConnectionWindowSize: undefined,
    });
  });

  test("are low for an edge router, and usual for its sidecars", () => {
    const settings = settingsWith({ streams: 7, idleMs: undefined }, true);
    expect(limitsFor("gateway", settings)).toEqual({ ...edgeLimits, streams: 7 });
    expect(limitsFor("inbound", settings)).toEqual({ streams: 7, idleMs: undefined });
    expect(limitsFor("gateway", settingsWith({ streams: 7 }))).toEqual({ streams: 7 });
  });
});

describe("paths", () => {
  test.each([
    ["none", false, false, EscapedSlashes.KEEP_UNCHANGED],
    ["base", true, false, EscapedSlashes.KEEP_UNCHANGED],
    ["merge-slashes", true, true, EscapedSlashes.KEEP_UNCHANGED],
    ["decode-and-merge-slashes", true, true, EscapedSlashes.UNESCAPE_AND_FORWARD],
  ] as const)("are normalised as the mesh sets: %s", (pathNormalization, normalizePath, mergeSlashes, action) => {
    expect(fieldsOf({}, { pathNormalization })).toMatchObject({
      normalizePath,
      mergeSlashes,
      pathWithEscapedSlashesAction: action,
    });
  });

  test("are normalised as the proxy settings say, else as the mesh sets", () => {
    expect(fieldsOf({ mergesSlashes: true, escapedSlashes: "reject" })).toMatchObject({
      mergeSlashes: true,
      pathWithEscapedSlashesAction: EscapedSlashes.REJECT_REQUEST,
    });
  });
});
