import { expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import { kinds } from "../../config/kinds.ts";
import { meshServices } from "../../config/mesh-service.ts";
import { Processor } from "./processor.ts";
import { collectionsOf, transformsFor } from "./transforms.ts";

const transforms = transformsFor(kinds);

test("every kind of Istio's own leaves Galley under its MCP name, and MeshConfig under its own", () => {
  const collections = collectionsOf("default", transforms);
  expect(collections).toEqual(
    expect.arrayContaining([
      "istio/networking/v1alpha3/virtualservices",
      "istio/rbac/v1alpha1/serviceroles",
      "istio/mesh/v1alpha1/MeshConfig",
    ]),
  );
});

test("a kind of Kubernetes passes nowhere by itself: the table says which do", () => {
  const leaving = collectionsOf("default", transforms).filter((collection) => collection.startsWith("k8s/"));
  expect(leaving).toEqual(["k8s/core/v1/services", "k8s/core/v1/namespaces"]);
});

test("analysis sees what leaves Galley, and kinds that nobody else asks for", () => {
  const collections = collectionsOf("localAnalysis", transforms);
  expect(collections).toEqual(expect.arrayContaining([...collectionsOf("default", transforms)]));
  expect(collections).toEqual(
    expect.arrayContaining(["k8s/core/v1/pods", "k8s/core/v1/secrets", "k8s/apps/v1/deployments"]),
  );
});

test("services and their synthetic entries are a group of their own: empty and complete where nobody has services", () => {
  const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";
  expect(collectionsOf("syntheticServiceEntry", transforms)).toEqual([meshServices, synthetic]);
  const graph = new Graph();
  const processor = new Processor({ graph, sources: [], transforms });
  expect(processor.outputs.get(synthetic)).toMatchObject({ synced: true, size: 0 });
  expect(processor.outputs.get(meshServices)).toMatchObject({ synced: true, size: 0 });
});
