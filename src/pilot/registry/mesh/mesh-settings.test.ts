import { fromJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { parseMeshConfig } from "../../../config/parse/mesh-files.ts";
import { defaultMeshSettings, type MeshSettings } from "../../model/mesh-settings.ts";
import { meshSettingsOf } from "./mesh-settings.ts";

function settings(text: string): MeshSettings {
  const { config } = parseMeshConfig({ file: "mesh.yaml", text, source: "test" });
  if (config === undefined) throw new Error("the text is valid");
  return meshSettingsOf(config.spec);
}

test("a message with all fields unset gives the defaults, except tracing, which false disables", () => {
  expect(meshSettingsOf(fromJson(meshConfig.schema, {}))).toEqual({ ...defaultMeshSettings, tracing: false });
});

test("the mesh configuration of Galley 1.3.6 keeps its ports: it has no port for inbound traffic", () => {
  const said = {
    proxyListenPort: 15001,
    connectTimeout: "1s",
    protocolDetectionTimeout: "0.100s",
    ingressClass: "istio",
    enableTracing: true,
    outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
    rootNamespace: "mesh-system",
    dnsRefreshRate: "5s",
  };
  const found = meshSettingsOf(fromJson(meshConfig.schema, said));
  expect(found).toMatchObject({ outboundPort: 15_001, inboundPort: 15_006, rootNamespace: "mesh-system" });
  expect(found).toMatchObject({
    outboundPolicy: { mode: "registry-only" },
    tracing: true,
    trustDomain: "cluster.local",
  });
});

test("default providers are names, by their use", () => {
  expect(settings("defaultProviders: {accessLogging: [envoy], tracing: [otel], metrics: [prometheus]}")).toMatchObject({
    defaultProviders: { accessLogs: ["envoy"], traces: ["otel"], metrics: ["prometheus"] },
  });
  expect(settings("{}").defaultProviders).toEqual(defaultMeshSettings.defaultProviders);
});

test("locality failover is on unless the mesh disables it, and zone-aware settings override it", () => {
  expect(settings("{}").localities).toEqual(defaultMeshSettings.localities);
  expect(settings("localityLbSetting: {enabled: false}").localities).toEqual({ type: "off" });
  const both = "{localityLbSetting: {}, zoneAwareLbSetting: {minClusterSize: 3}}";
  expect(settings(both).localities).toMatchObject({ type: "zone-aware", minClusterSize: 3 });
});

test("TLS defaults are separate for mesh mTLS and for destination rules", () => {
  const found = settings(`
meshMTLS: {minProtocolVersion: TLSV1_3}
tlsDefaults: {cipherSuites: [ECDHE-RSA-AES256-GCM-SHA384], ecdhCurves: [P-256]}
`);
  expect(found.meshTls).toEqual({ minVersion: "1.3", cipherSuites: [], ecdhCurves: [] });
  expect(found.tlsDefaults).toEqual({
    minVersion: undefined,
    cipherSuites: ["ECDHE-RSA-AES256-GCM-SHA384"],
    ecdhCurves: ["P-256"],
  });
});

test("the mesh may set names of statistics and preserve header case", () => {
  const found = settings(`
outboundClusterStatName: "%SERVICE%"
inboundClusterStatName: "%TARGET_PORT%"
defaultConfig: {proxyHeaders: {preserveHttp1HeaderCase: true}}
`);
  expect(found).toMatchObject({
    outboundStatName: "%SERVICE%",
    inboundStatName: "%TARGET_PORT%",
    preserveHeaderCase: true,
  });
});
