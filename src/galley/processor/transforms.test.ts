import { expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { kinds } from "../../config/kinds.ts";
import { collectionsOf, transformsFor } from "./transforms.ts";

const transforms = transformsFor(kinds);

test("every kind of Istio's own leaves Galley under its MCP name, and MeshConfig under its own", () => {
  const collections = collectionsOf("default", transforms);
  expect(collections).toHaveLength(kinds.length);
  expect(collections).toEqual(
    expect.arrayContaining([
      "istio/networking/v1alpha3/virtualservices",
      "istio/rbac/v1alpha1/serviceroles",
      "istio/mesh/v1alpha1/MeshConfig",
    ]),
  );
  expect(collections.every((collection) => collection.startsWith("istio/"))).toBe(true);
});

test("a kind that is not Istio's passes nowhere by itself", () => {
  const service = kinds.slice(0, 1).map((kind) => ({ ...kind, collection: "k8s/core/v1/services" }));
  expect(collectionsOf("default", transformsFor(service))).toEqual([]);
});

test("the synthetic ServiceEntries are a group of their own, empty and complete from the start", () => {
  const collection = "istio/networking/v1alpha3/synthetic/serviceentries";
  expect(collectionsOf("syntheticServiceEntry", transforms)).toEqual([collection]);
  const graph = new Graph();
  const input = graph.input<Config>("any");
  const made = transforms
    .filter(({ inputs }) => inputs.length === 0)
    .map((transformer) => transformer.install(graph, () => input).get(collection));
  expect(made).toMatchObject([{ synced: true, size: 0 }]);
});
