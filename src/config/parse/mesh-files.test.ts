import { describe, expect, test } from "vitest";
import { MeshConfig_OutboundTrafficPolicy_Mode as Mode } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { meshDefaults } from "../mesh/mesh-defaults.ts";
import { type ParsedMeshConfig, parseMeshConfig, parseMeshNetworks } from "./mesh-files.ts";

const parseMesh = (text: string): ParsedMeshConfig =>
  parseMeshConfig({ text, file: "mesh.yaml", source: "file:mesh.yaml" });

describe("parseMeshConfig", () => {
  test.each(["", "# nothing\n", "{}\n"])("an empty file (%j) gives all defaults", (text) => {
    const { config, issues } = parseMesh(text);
    expect(issues).toEqual([]);
    expect(config).toMatchObject({ kind: "MeshConfig", namespace: "", name: "mesh" });
    expect(config?.spec).toEqual(meshDefaults());
  });

  test("a field of the file replaces the default, also with zero and false", () => {
    const text =
      "proxyListenPort: 0\nenableTracing: false\nconnectTimeout: 500ms\noutboundTrafficPolicy: {mode: REGISTRY_ONLY}\n";
    const { config, issues } = parseMesh(text);
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
    const { config, issues } = parseMesh("trustDomain: mesh\nconnectTimeout: 4s\ndefaultConfig:\n  concurency: 2\n");
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
    expect(parseMesh("\nconnectTimeout: 40s\n").issues).toMatchObject([
      { code: "bad-duration", path: "connectTimeout", place: { line: 2, column: 1 } },
    ]);
  });

  test("the origin finds the places of fields later", () => {
    const { config } = parseMesh("trustDomain: mesh\nrootNamespace: infra\n");
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
    expect(parseMesh(text).issues).toMatchObject([{ severity: "error", path }]);
  });

  test.each([
    'accessLogFormat: "%% %REQ(X-A?:PATH):10% %START_TIME(%s)% %RESPONSE_CODE%"',
    'accessLogFormat: "%REQUESTED_SERVER_NAME(SNI_FIRST:ORIG)%"',
    "tlsDefaults: {ecdhCurves: [X25519, P-256]}",
  ])("%j is fine", (text) => {
    expect(parseMesh(text).issues).toEqual([]);
  });

  test.each([
    ["a list", "- a\n", "wrong-type"],
    ["broken YAML", "a: [\n", "bad-yaml"],
    ["two documents", "rootNamespace: a\n---\nrootNamespace: b\n", "several-documents"],
  ])("%s yields an error and no config", (_, text, code) => {
    const { config, issues } = parseMesh(text);
    expect(config).toBeUndefined();
    expect(issues.map((issue) => issue.code)).toEqual([code]);
  });
});

function parseNetworks(text: string) {
  return parseMeshNetworks({ text, file: "networks.yaml", source: "networks:networks.yaml" });
}

const two = `networks:
  east:
    endpoints:
      - fromRegistry: cluster-east
      - fromCidr: 10.1.0.0/16
    gateways:
      - address: 192.0.2.1
        port: 15443
  west/1:
    gateways:
      - registryServiceName: istio-ingressgateway.istio-system.svc.cluster.local
        port: 15443
        locality: us-west
`;

describe("the networks of a mesh", () => {
  test("are read with their endpoints and gateways", () => {
    const { config, issues } = parseNetworks(two);
    expect(issues).toMatchObject([{ severity: "warning", code: "no-effect", place: { line: 13 } }]);
    expect(config).toMatchObject({ kind: "MeshNetworks", name: "networks", namespace: "" });
    expect(Object.keys(config?.spec.networks ?? {})).toEqual(["east", "west/1"]);
    expect(config?.spec.networks["east"]).toMatchObject({ gateways: [{ port: 15443 }] });
  });

  test("are none in an empty file", () => {
    expect(parseNetworks("").config?.spec.networks).toEqual({});
  });

  test("are read although a field is unknown, which is a warning", () => {
    const { config, issues } = parseNetworks(two.replace("locality", "locallity"));
    expect(config).toBeDefined();
    expect(issues).toMatchObject([{ severity: "warning", code: "unknown-field", place: { line: 13 } }]);
  });

  test.each([
    ["a subnet that is none", "fromCidr: 10.1.0.0/16", "fromCidr: 10.1.0.0/99", 5, "bad-address"],
    ["a registry without a name", "fromRegistry: cluster-east", 'fromRegistry: ""', 4, "bad-name"],
    ["endpoints of nothing", "- fromRegistry: cluster-east", "- {}", 4, "missing-value"],
    ["an address that is none", "address: 192.0.2.1", "address: 192.0.2.1/8", 7, "bad-address"],
    ["a gateway without an address", "address: 192.0.2.1", "locality: east", 7, "missing-value"],
    ["a port that is none", "port: 15443\n  west", "port: 70000\n  west", 8, "bad-port"],
    ["a service that is none", "istio-ingressgateway.istio", "istio_ingress.istio", 11, "bad-host"],
  ])("with %s are an error, with its line", (_what, before, after, line, code) => {
    const { config, issues } = parseNetworks(two.replace(before, after));
    expect(config).toBeUndefined();
    expect(issues).toMatchObject([{ severity: "error", code, place: { line } }]);
  });
});
