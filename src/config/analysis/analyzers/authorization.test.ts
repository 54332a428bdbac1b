import { expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const service = (spec: string, metadata = "") => objectYaml("v1", "Service", `spec: { ${spec} }`, metadata);

const role = (host: string) =>
  objectYaml("rbac.istio.io/v1alpha1", "ServiceRole", `spec: { rules: [{ services: ["${host}"], methods: [GET] }] }`);

test("a role needs existing services, and a binding needs an existing role", () => {
  const here = service("ports: [{ port: 1 }]");
  const services = (host: string) => codesOf("auth.ServiceRoleServicesAnalyzer", here + role(host));
  expect(["a.shop.svc.cluster.local", "a.*", "*.local", "*"].flatMap(services)).toEqual([]);
  expect(services("b.shop.svc.cluster.local")).toEqual(["IST0101"]);
  const binding = objectYaml(
    "rbac.istio.io/v1alpha1",
    "ServiceRoleBinding",
    "spec: { subjects: [{ user: x }], roleRef: { kind: ServiceRole, name: a } }",
  );
  expect(codesOf("auth.ServiceRoleBindingAnalyzer", role("*") + binding)).toEqual([]);
  expect(codesOf("auth.ServiceRoleBindingAnalyzer", binding)).toEqual(["IST0101"]);
});
