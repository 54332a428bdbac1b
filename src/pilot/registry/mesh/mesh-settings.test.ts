import { fromJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { parseMeshConfig } from "../../../config/parse/mesh-config.ts";
import { defaultMeshSettings, type MeshSettings } from "../../model/mesh-settings.ts";
import { meshSettingsOf } from "./mesh-settings.ts";

function settings(text: string): MeshSettings {
  const { config } = parseMeshConfig({ file: "mesh.yaml", text, source: "test" });
  if (config === undefined) throw new Error("the text is valid");
  return meshSettingsOf(config.spec);
}

test("a message that leaves everything unset means the defaults, but for tracing, which a false switches off", () => {
  expect(meshSettingsOf(fromJson(meshConfig.schema, {}))).toEqual({ ...defaultMeshSettings, tracing: false });
});

test("the mesh configuration of Galley 1.3.6 means its ports: it knows no port for inbound traffic", () => {
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

test("providers that the mesh names stand beside those that every mesh has", () => {
  const logs = settings(`
extensionProviders: [{name: mine, envoyFileAccessLog: {path: /tmp/log}}]
defaultProviders: {accessLogging: [envoy, mine]}
`).accessLogs;
  expect(logs.map(({ path }) => path)).toEqual(["/dev/stdout", "/tmp/log"]);
});

test("failover between localities is on unless the mesh switches it off, and zones stand above them", () => {
  expect(settings("{}").localities).toEqual(defaultMeshSettings.localities);
  expect(settings("localityLbSetting: {enabled: false}").localities).toEqual({ type: "off" });
  const both = "{localityLbSetting: {}, zoneAwareLbSetting: {minClusterSize: 3}}";
  expect(settings(both).localities).toMatchObject({ type: "zone-aware", minClusterSize: 3 });
});

test("what TLS is spoken with is said apart for the mesh and for rules", () => {
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

test("statistics may have names of the mesh's own, and headers their case", () => {
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
