import { expect, test } from "vitest";
import { parseMeshConfig } from "../../../config/parse/mesh-config.ts";
import { defaultMeshSettings, type MeshSettings } from "../../model/mesh-settings.ts";
import { meshSettingsOf } from "./mesh-settings.ts";

function settings(text: string): MeshSettings {
  const { config } = parseMeshConfig({ file: "mesh.yaml", text, source: "test" });
  if (config === undefined) throw new Error("the text is valid");
  return meshSettingsOf(config.spec);
}

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
