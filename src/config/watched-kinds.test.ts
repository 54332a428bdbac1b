import { expect, test } from "vitest";
import { kinds } from "./kinds.ts";
import { type Watching, watchedKinds } from "./watched-kinds.ts";

const everything = new Set(kinds.map(({ collection }) => collection));

const watched = (watching: Partial<Watching>): readonly string[] =>
  watchedKinds(kinds, { needed: everything, exclude: [], serviceDiscovery: true, ...watching }).map(({ kind }) => kind);

const discovery = ["Service", "Endpoints", "EndpointSlice", "Pod", "Node", "Namespace"];

test("everything is watched unless somebody says otherwise", () => {
  expect(watched({})).toEqual(kinds.map(({ kind }) => kind));
});

test("a kind that is excluded is not watched, and a name that no kind has excludes nothing", () => {
  const left = watched({ exclude: ["Ingress", "Lease"] });
  expect(kinds.map(({ kind }) => kind).filter((kind) => !left.includes(kind))).toEqual(["Ingress", "Ingress"]);
});

test("what service discovery is made of cannot be excluded while it is on", () => {
  expect(watched({ exclude: discovery })).toEqual(watched({}));
});

test("without service discovery none of its kinds is watched", () => {
  const left = watched({ serviceDiscovery: false });
  expect(watched({}).filter((kind) => !left.includes(kind))).toEqual(discovery);
});

test("what nothing is made of is not watched", () => {
  expect(watched({ needed: new Set(["k8s/core/v1/pods", "istio/mesh/v1alpha1/MeshConfig"]) })).toEqual([
    "MeshConfig",
    "Pod",
  ]);
});
