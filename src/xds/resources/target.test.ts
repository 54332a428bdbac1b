import { expect, test } from "vitest";
import { heldDigestOf } from "./digest.ts";
import { makeResource } from "./make-resource.ts";
import { ResourceSet } from "./resource-set.ts";
import { digestOfAll, digestOfNamed, find } from "./target.ts";

const resource = (name: string, content = "1") =>
  makeResource({ typeUrl: "some.Type", name, value: Buffer.from(content) });
const setOf = (...resources: readonly ReturnType<typeof resource>[]) =>
  ResourceSet.empty.apply({ covers: "all", resources });
const type = { typeUrl: "some.Type", shortName: "some", sotw: "whole" } as const;

test("a resource is found in any part", () => {
  const target = [setOf(resource("a")), setOf(resource("b"))];
  expect(["a", "b", "c"].map((name) => find(target, name))).toEqual([resource("a"), resource("b"), undefined]);
});

test("the digest of a target covers the resources of all parts", () => {
  const target = [setOf(resource("a"), resource("b")), setOf(resource("c"))];
  const sum = ["a", "b", "c"].reduce((total, name) => total + heldDigestOf(resource(name)), 0n);
  expect(digestOfAll(target)).toEqual({ size: 3, digest: sum });
  expect(digestOfAll([])).toEqual({ size: 0, digest: 0n });
});

test("the digest of names covers existing resources", () => {
  const target = [setOf(resource("a"), resource("b")), setOf(resource("c"))];
  const sum = heldDigestOf(resource("a")) + heldDigestOf(resource("c"));
  expect(digestOfNamed(type, new Set(["a", "c", "missing"]), target)).toEqual({ size: 2, digest: sum });
});

test("the digest of names covers the stand-ins of missing resources", () => {
  const withAbsent = { ...type, absent: (name: string) => resource(name, "absent") };
  const digest = heldDigestOf(resource("missing", "absent"));
  expect(digestOfNamed(withAbsent, new Set(["missing"]), [setOf()])).toEqual({ size: 1, digest });
});

test("the digest of names is computed once per target and type", () => {
  const names = new Set(["a"]);
  const [first, second] = [[setOf(resource("a"))], [setOf(resource("a", "2"))]];
  const known = digestOfNamed(type, names, first);
  expect(digestOfNamed(type, names, [setOf(resource("a"))])).toBe(known);
  expect(digestOfNamed(type, names, second)).toEqual({ size: 1, digest: heldDigestOf(resource("a", "2")) });
  const other = { ...type, typeUrl: "other.Type", absent: (name: string) => resource(name) };
  const b = new Set(["b"]);
  expect([digestOfNamed(type, b, []).size, digestOfNamed(other, b, []).size]).toEqual([0, 1]);
});
