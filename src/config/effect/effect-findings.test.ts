import { expect, test } from "vitest";
import { meshConfig } from "../kinds/mesh-config.ts";
import { kinds } from "../kinds.ts";
import { meshDefaults } from "../mesh/mesh-defaults.ts";
import { parseMeshConfig } from "../parse/mesh-files.ts";
import { parseConfigs } from "../parse/parse.ts";
import { effectFindings } from "./effect-findings.ts";

function parse(text: string) {
  return parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "default" });
}

const policy = `apiVersion: authentication.istio.io/v1alpha1
kind: Policy
metadata: {name: default, namespace: shop}
spec: {peers: [{jwt: {issuer: a}}]}
`;

test("tokens of peers, which are not enforced, are one error, but the object is kept", () => {
  const { issues, configs, broken } = parse(policy);
  expect(issues).toMatchObject([
    {
      severity: "error",
      code: "no-effect",
      object: "Policy shop/default",
      path: "spec.peers[0].jwt",
      place: { file: "a.yaml", line: 4 },
      hint: "--allow-unenforced accepts it as a warning",
    },
  ]);
  expect(configs).toMatchObject([{ kind: "Policy", name: "default" }]);
  expect(broken.size).toBe(0);
});

test("a kind without effect that security does not rely on is a warning", () => {
  const spec = "{rules: [{quotas: [{quota: x, charge: 1}]}]}";
  const text = `apiVersion: config.istio.io/v1alpha2\nkind: QuotaSpec\nmetadata: {name: a}\nspec: ${spec}\n`;
  expect(parse(text).issues).toMatchObject([{ severity: "warning", code: "no-effect" }]);
});

function gateway(...servers: readonly string[]): string {
  const list = servers.map(
    (server, index) =>
      `  - {port: {number: ${443 + index}, name: p${index}, protocol: HTTPS}, hosts: ["*"],\n     ${server}}\n`,
  );
  return `apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: edge}\nspec:\n  selector: {app: gw}\n  servers:\n${list.join("")}`;
}

const secured = "tls: {mode: SIMPLE, credentialName: one}";

test("several fields without effect are one warning, at the line of the first, with the count of the others", () => {
  const text = gateway(...[80, 81].map((port) => `${secured}, defaultEndpoint: "127.0.0.1:${port}"`));
  const { issues, configs } = parse(text);
  expect(issues).toMatchObject([
    { severity: "warning", code: "no-effect", path: "spec.servers[0].defaultEndpoint", place: { line: 8 } },
  ]);
  expect(issues[0]?.message).toContain("1 more");
  expect(configs).toHaveLength(1);
});

test("credentials of a Gateway have an effect", () => {
  const text = gateway("tls: {mode: SIMPLE, credentialName: one}", "tls: {mode: SIMPLE, credentialName: two}");
  expect(parse(text).issues).toEqual([]);
});

test("an object that is refused gets no issue about effects", () => {
  const issues = parse(gateway(`${secured}, defaultEndpoint: "127.0.0.1:80", bind: nowhere`)).issues;
  expect(issues.map(({ code }) => code)).toEqual(["bad-address"]);
});

test("a field with another issue gets no second issue", () => {
  const text = `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: a}
spec: {host: a, trafficPolicy: {loadBalancer: {backendUtilization: {}}}}
`;
  expect(parse(text).issues.map(({ code }) => code)).toEqual(["unsupported-field"]);
});

test("the defaults of the mesh get no issue, whether they are written or not", () => {
  expect(effectFindings(meshConfig, meshDefaults(), "spec")).toEqual([]);
  const text = "extensionProviders: [{name: prometheus, prometheus: {}}]\nrootNamespace: istio-system\n";
  expect(parseMeshConfig({ text, file: "mesh.yaml", source: "test" }).issues).toEqual([]);
});

test("settings of the mesh without effect are warnings, each at its line", () => {
  const text = "accessLogFile: /dev/stdout\nhboneIdleTimeout: 3s\ndefaultConfig:\n  statNameLength: 2\n";
  const { issues, config } = parseMeshConfig({ text, file: "mesh.yaml", source: "test" });
  expect(issues.map(({ severity, code, path, place }) => [severity, code, path, place?.line])).toEqual([
    ["warning", "no-effect", "defaultConfig.statNameLength", 4],
    ["warning", "no-effect", "hboneIdleTimeout", 2],
  ]);
  expect(config).toBeDefined();
});
