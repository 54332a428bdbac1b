import { describe, expect, test } from "vitest";
import { MeshConfig_OutboundTrafficPolicy_Mode as Mode } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { meshDefaults } from "../mesh/mesh-defaults.ts";
import { type ParsedMeshConfig, parseMeshConfig } from "./mesh-config.ts";

const parse = (text: string): ParsedMeshConfig =>
  parseMeshConfig({ text, file: "mesh.yaml", source: "file:mesh.yaml" });

describe("parseMeshConfig", () => {
  test.each(["", "# nothing\n", "{}\n"])("an empty file (%j) gives all defaults", (text) => {
    const { config, issues } = parse(text);
    expect(issues).toEqual([]);
    expect(config).toMatchObject({ kind: "MeshConfig", namespace: "", name: "mesh" });
    expect(config?.spec).toEqual(meshDefaults());
  });

  test("a field of the file replaces the default, also with zero and false", () => {
    const text =
      "proxyListenPort: 0\nenableTracing: false\nconnectTimeout: 500ms\noutboundTrafficPolicy: {mode: REGISTRY_ONLY}\n";
    const { config, issues } = parse(text);
    expect(issues).toEqual([]);
    expect(config?.spec).toMatchObject({
      proxyListenPort: 0,
      enableTracing: false,
      connectTimeout: { seconds: 0n, nanos: 500_000_000 },
      outboundTrafficPolicy: { mode: Mode.REGISTRY_ONLY },
      proxyInboundListenPort: 15006,
      trustDomain: "cluster.local",
    });
  });

  test("issues are at the field of the file, without a spec around it", () => {
    const { config, issues } = parse("trustDomain: mesh\nconnectTimeout: 4s\ndefaultConfig:\n  concurency: 2\n");
    expect(config?.spec.trustDomain).toBe("mesh");
    expect(issues).toMatchObject([
      {
        severity: "warning",
        object: "MeshConfig mesh",
        path: "defaultConfig.concurency",
        hint: 'did you mean "concurrency"?',
        place: { line: 4 },
      },
    ]);
    expect(parse("\nconnectTimeout: 40s\n").issues).toMatchObject([
      { code: "bad-duration", path: "connectTimeout", place: { line: 2, column: 1 } },
    ]);
  });

  test("the origin finds the places of fields later", () => {
    const { config } = parse("trustDomain: mesh\nrootNamespace: infra\n");
    expect(config?.origin.locate("spec.rootNamespace")).toEqual({ file: "mesh.yaml", line: 2, column: 1 });
  });

  test.each([
    ["tlsDefaults: {ecdhCurves: [P-256, P-257]}", "tlsDefaults.ecdhCurves[1]"],
    ["meshMTLS: {ecdhCurves: [P-256, P-256]}", "meshMTLS.ecdhCurves[1]"],
    ["tcpKeepalive: {interval: 4294967296s}", "tcpKeepalive.interval"],
    ["protocolDetectionTimeout: 9223372036s", "protocolDetectionTimeout"],
    ["dnsRefreshRate: 0s", "dnsRefreshRate"],
    ["dnsRefreshRate: 0.001s", "dnsRefreshRate"],
    ['accessLogFormat: "%START_TIME"', "accessLogFormat"],
    ['accessLogFormat: "%NO_SUCH_THING%"', "accessLogFormat"],
    ['accessLogFormat: "%REQ(a[b)%"', "accessLogFormat"],
    [`accessLogEncoding: JSON\naccessLogFormat: '{"a": {"b": "%REQ%"}}'`, "accessLogFormat"],
    [
      'extensionProviders: [{name: a, envoyFileAccessLog: {logFormat: {text: "%X%"}}}]',
      "extensionProviders[0].envoyFileAccessLog.logFormat.text",
    ],
    ["defaultConfig: {tracing: {customTags: {a: {literal: {}}}}}", "defaultConfig.tracing.customTags.a.literal.value"],
    ["defaultConfig: {tracing: {customTags: {a: {header: {}}}}}", "defaultConfig.tracing.customTags.a.header.name"],
    ['defaultConfig: {proxyHeaders: {server: {value: "a\\n"}}}', "defaultConfig.proxyHeaders.server.value"],
  ])("%j would be rejected by Envoy", (text, path) => {
    expect(parse(text).issues).toMatchObject([{ severity: "error", path }]);
  });

  test.each([
    'accessLogFormat: "%% %REQ(X-A?:PATH):10% %START_TIME(%s)% %RESPONSE_CODE%"',
    'accessLogFormat: "%REQUESTED_SERVER_NAME(SNI_FIRST:ORIG)%"',
    "tlsDefaults: {ecdhCurves: [X25519, P-256]}",
  ])("%j is fine", (text) => {
    expect(parse(text).issues).toEqual([]);
  });

  test.each([
    ["a list", "- a\n", "wrong-type"],
    ["broken YAML", "a: [\n", "bad-yaml"],
    ["two documents", "rootNamespace: a\n---\nrootNamespace: b\n", "several-documents"],
  ])("%s yields an error and no config", (_, text, code) => {
    const { config, issues } = parse(text);
    expect(config).toBeUndefined();
    expect(issues.map((issue) => issue.code)).toEqual([code]);
  });
});
