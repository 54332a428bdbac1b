import { expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const networks = (registry: string) =>
  objectYaml(
    "mesh.istio.io/v1alpha1",
    "MeshNetworks",
    `spec: { networks: { a: { endpoints: [{ fromRegistry: ${registry} }] } } }`,
  );

test("a network needs known registries", () => {
  const secret = objectYaml("v1", "Secret", "stringData: { remote: x }", 'labels: { istio/multiCluster: "true" }');
  const analyzer = "multicluster.MeshNetworksAnalyzer";
  expect(codesOf(analyzer, secret + networks("Kubernetes"))).toEqual([]);
  expect(codesOf(analyzer, secret + networks("remote"))).toEqual([]);
  expect(codesOf(analyzer, secret + networks("elsewhere"))).toEqual(["IST0126"]);
  const unlabelled = objectYaml("v1", "Secret", "stringData: { remote: x }");
  expect(codesOf(analyzer, unlabelled + networks("remote"))).toEqual(["IST0126"]);
});
