import { expect, test } from "vitest";
import { isRefused } from "../../src/config/finding.ts";
import { gatewayIn } from "../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";

/** Users may use the names of properties that every JavaScript object has. */
const names = ["toString", "constructor", "hasOwnProperty"];

test.each(names)("a port may have the name %s", async (name) => {
  const mesh = await ScenarioMesh.serving(`
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: odd, namespace: shop}
spec:
  hosts: [odd.example.com]
  ports: [{number: 80, name: ${name}, protocol: HTTP}]
  resolution: STATIC
  endpoints: [{address: 10.0.0.1}]
`);
  const proxy = mesh.connect("sotw", gatewayIn("shop"));
  await mesh.settle([proxy]);
  expect([...mesh.problems, ...mesh.observer.failures]).toEqual([]);
});

test.each(names)("a property of a client may have the name %s", async (name) => {
  const mesh = await ScenarioMesh.serving("");
  const issues = mesh.applyValid(`
apiVersion: rbac.istio.io/v1alpha1
kind: ServiceRoleBinding
metadata: {name: odd, namespace: shop}
spec:
  subjects: [{properties: {${name}: a}}]
  roleRef: {kind: ServiceRole, name: odd}
`);
  expect(issues.filter((issue) => isRefused([issue]))).toEqual([]);
});

test("the name __proto__ is reported, not lost", async () => {
  const mesh = await ScenarioMesh.serving("");
  const issues = mesh.applyValid(`
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: odd, namespace: shop}
spec:
  host: odd.example.com
  subsets: [{name: v1, labels: {__proto__: a}}]
`);
  expect(issues).toMatchObject([{ severity: "error", code: "bad-key", place: { line: 7 } }]);
});
