import { expect, test } from "vitest";
import { kinds } from "./kinds.ts";
import { type WatchedKindsOptions, watchedKinds } from "./watched-kinds.ts";

const everything = new Set(kinds.map(({ collection }) => collection));

const watched = (watching: Partial<WatchedKindsOptions>): readonly string[] =>
  watchedKinds(kinds, { needed: everything, exclude: [], serviceDiscovery: true, ...watching }).map(({ kind }) => kind);

const discovery = ["Service", "Endpoints", "EndpointSlice", "Pod", "Node", "Namespace"];

test("everything is watched by default", () => {
  expect(watched({})).toEqual(kinds.map(({ kind }) => kind));
});

test("an excluded kind is not watched, and an unknown name excludes nothing", () => {
  const left = watched({ exclude: ["Ingress", "Lease"] });
  expect(kinds.map(({ kind }) => kind).filter((kind) => !left.includes(kind))).toEqual(["Ingress", "Ingress"]);
});

test("kinds that service discovery needs cannot be excluded while it is on", () => {
  expect(watched({ exclude: discovery })).toEqual(watched({}));
});

test("without service discovery none of its kinds is watched", () => {
  const left = watched({ serviceDiscovery: false });
  expect(watched({}).filter((kind) => !left.includes(kind))).toEqual(discovery);
});

test("kinds that no collection needs are not watched", () => {
  expect(watched({ needed: new Set(["k8s/core/v1/pods", "istio/mesh/v1alpha1/MeshConfig"]) })).toEqual([
    "MeshConfig",
    "Pod",
  ]);
});
