import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const service = (spec: string, metadata = "") => objectYaml("v1", "Service", `spec: { ${spec} }`, metadata);

describe("an old authentication policy", () => {
  const policy = objectYaml(
    "authentication.istio.io/v1alpha1",
    "Policy",
    "spec: { targets: [{ name: a, ports: [{ number: 1 }] }], origins: [{ jwt: { issuer: x, jwksUri: 'https://a.com' } }] }",
  );
  const ports = (text: string) => codesOf("auth.JwtAnalyzer", policy + service(`ports: [${text}]`));
  const definition = objectYaml(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "spec: { group: security.istio.io, names: { kind: PeerAuthentication } }",
  );

  test("needs HTTP ports for tokens", () => {
    expect(ports("{ port: 1, name: http-a }")).toEqual([]);
    expect(ports("{ port: 1, name: tcp }")).toEqual(["IST0119"]);
    expect(ports("{ port: 1, name: http, protocol: UDP }")).toEqual(["IST0119"]);
    expect(ports("{ port: 1, name: http }, { port: 2, name: tcp }")).toEqual([]);
  });

  test("is not read if its replacement exists", () => {
    const analyzer = "policy.DeprecatedAnalyzer";
    const forMesh = objectYaml("authentication.istio.io/v1alpha1", "MeshPolicy", "spec: {}");
    expect(codesOf(analyzer, policy + forMesh)).toEqual([]);
    expect(codesOf(analyzer, policy + forMesh + definition)).toEqual(["IST0120", "IST0121"]);
  });
});
