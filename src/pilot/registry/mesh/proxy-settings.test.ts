import { describe, expect, test } from "vitest";
import { defaultProxySettings } from "../../model/proxy/proxy-settings.ts";
import { proxySettingsOf, readProxySettings } from "./proxy-settings.ts";

describe("proxy settings", () => {
  test("have defaults", () => {
    expect(proxySettingsOf(undefined)).toBe(defaultProxySettings);
    expect(readProxySettings({ concurrency: 2, somethingNew: true })).toEqual(defaultProxySettings);
  });

  test("set which headers carry which facts", () => {
    const proxyHeaders = {
      server: { value: "shop" },
      requestId: { disabled: true },
      envoyDebugHeaders: { disabled: true },
      metadataExchangeHeaders: { mode: "IN_MESH" },
      forwardedClientCert: "SANITIZE",
      setCurrentClientCertDetails: { cert: true, dns: false },
      preserveHttp1HeaderCase: true,
      xForwardedPort: { enabled: true },
      attemptCount: { disabled: true },
      xForwardedHost: { enabled: true },
    };
    expect(readProxySettings({ proxyHeaders }).headers).toEqual({
      serverName: "shop",
      passesServer: false,
      generatesRequestId: false,
      hidesDebug: true,
      hidesIdentityOutside: true,
      forwardedClientCert: "sanitize",
      clientCertDetails: { cert: true, dns: false },
      preservesCase: true,
      appendsForwardedPort: true,
      countsAttempts: false,
      appendsForwardedHost: true,
    });
  });

  test("set no server name when the server header passes through", () => {
    const { headers } = readProxySettings({ proxyHeaders: { server: { disabled: true, value: "shop" } } });
    expect(headers).toMatchObject({ serverName: "", passesServer: true });
  });

  test("describe the proxies in front of a gateway", () => {
    const gatewayTopology = { numTrustedProxies: 2, forwardClientCertDetails: "APPEND_FORWARD", proxyProtocol: {} };
    expect(readProxySettings({ gatewayTopology }).topology).toEqual({
      trustedProxies: 2,
      forwardedClientCert: "append-forward",
      proxyProtocol: true,
    });
  });

  test("limit the time and memory that clients take", () => {
    const connectionSettings = {
      profile: "EDGE",
      listenerPerConnectionBufferLimitBytes: 1024,
      httpIdleTimeout: "1.5s",
      httpMaxConcurrentStreams: 7,
      httpHeadersWithUnderscoresAction: "HEADERS_WITH_UNDERSCORES_DROP_HEADER",
      httpMergeSlashes: false,
      httpPathWithEscapedSlashesAction: "UNESCAPE_AND_REDIRECT",
    };
    expect(readProxySettings({ connectionSettings }).limits).toEqual({
      edge: true,
      bufferBytes: 1024,
      idleMs: 1500,
      streams: 7,
      underscores: "drop",
      mergesSlashes: false,
      escapedSlashes: "redirect",
    });
    expect(readProxySettings({ connectionSettings: {} }).limits.edge).toBe(false);
  });

  test("set the sampling of traces and their tags", () => {
    const customTags = {
      zone: { environment: { name: "ZONE", defaultValue: "none" } },
      caller: { header: { name: "x-caller" } },
      team: { literal: { value: "shop" } },
    };
    expect(readProxySettings({ tracing: { sampling: 12.5, maxPathTagLength: 64, customTags } }).tracing).toEqual({
      sampling: 12.5,
      maxPathTagLength: 64,
      tags: [
        { name: "caller", type: "header", header: "x-caller", otherwise: "" },
        { name: "team", type: "literal", value: "shop" },
        { name: "zone", type: "environment", variable: "ZONE", otherwise: "none" },
      ],
      istioTags: true,
    });
    expect(readProxySettings({ tracing: { enableIstioTags: false } }).tracing.istioTags).toBe(false);
    expect(readProxySettings({ tracing: { sampling: 200 } }).tracing.sampling).toBe(1);
  });
});
