import { expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { ObjectGauge, objectGaugeName } from "./object-gauge.ts";

test.each([
  ["istio/networking/v1alpha3/gateways", "galley_istio_networking_gateways"],
  ["istio/networking/v1alpha3/synthetic/serviceentries", "galley_istio_networking_synthetic_serviceentries"],
  [
    "k8s/apiextensions.k8s.io/v1/customresourcedefinitions",
    "galley_k8s_apiextensions_k8s_io_customresourcedefinitions",
  ],
  ["istio/mesh/MeshConfig", undefined],
  ["gateways", undefined],
])("the objects of %s have the gauge %s", (collection, name) => {
  expect(objectGaugeName(collection)).toBe(name);
});

function labels(name: string, version = "1") {
  return { namespace: "shop", name, version };
}

test("a thousand objects are reported, but not more: every scrape would block the process", () => {
  const graph = new Graph();
  const input = graph.input<Config>("gateways");
  graph.batch(() => {
    for (let index = 0; index < 1000; index += 1) input.set(`${index}`, fakeConfig({ name: `${index}` }));
  });
  const gauge = new ObjectGauge([input]);
  expect([...gauge.values()]).toHaveLength(1000);
  input.set("more", fakeConfig({ name: "more" }));
  expect([...gauge.values()]).toEqual([]);
  input.delete("more");
  expect([...gauge.values()].every(([, value]) => value === 1)).toBe(true);
});

test("objects are 1 while they exist, and once 0 after their removal or a change of version", () => {
  const graph = new Graph();
  const input = graph.input<Config>("gateways");
  const gauge = new ObjectGauge([input, graph.input<Config>("more gateways")]);
  for (const name of ["a", "b"]) input.set(name, fakeConfig({ name }));
  expect([...gauge.values()]).toEqual([
    [labels("a"), 1],
    [labels("b"), 1],
  ]);
  input.set("a", fakeConfig({ name: "a", version: "2" }));
  input.delete("b");
  expect([...gauge.values()]).toEqual([
    [labels("a", "2"), 1],
    [labels("a"), 0],
    [labels("b"), 0],
  ]);
  expect([...gauge.values()]).toEqual([[labels("a", "2"), 1]]);
});
