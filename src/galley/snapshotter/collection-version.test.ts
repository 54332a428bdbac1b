import fc from "fast-check";
import { expect, test } from "vitest";
import { changesBetween } from "../../collection/changes-between.ts";
import type { View } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { deepEqual } from "../../lib/equal.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { carryVersion, collectionVersion } from "./collection-version.ts";

function versionOf(configs: readonly Config[]): string {
  const input = new Graph().input<Config>("in");
  input.replaceAll(configs.map((config) => [config.name, config]));
  return collectionVersion(input.snapshot());
}

test("the version of a collection depends on its objects and their versions, not on order or origin", () => {
  const [reviews, details] = [fakeConfig({ name: "reviews" }), fakeConfig({ name: "details" })];
  const version = versionOf([reviews, details]);
  expect(versionOf([details, fakeConfig({ name: "reviews", line: 7 })])).toBe(version);
  expect(versionOf([details])).not.toBe(version);
  expect(versionOf([details, fakeConfig({ name: "reviews", version: "2" })])).not.toBe(version);
  expect(versionOf([])).toMatch(/^[0-9a-f]{16}$/);
});

test("different contents have different versions, whatever the names", () => {
  const content = fc.dictionary(
    fc.string({ unit: fc.constantFrom("a", ",", "\n", '"', "[") }),
    fc.constantFrom("1", "2", "1\n"),
  );
  const property = fc.property(content, content, (a, b) => {
    const [left, right] = [a, b].map((side) =>
      versionOf(Object.entries(side).map(([name, version]) => fakeConfig({ name, version }))),
    );
    expect(left === right).toBe(deepEqual({ ...a }, { ...b }));
  });
  fc.assert(property, { seed });
});

test("a version carried over changes equals the computed version", () => {
  const anyContent = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2"), {
    noNullPrototype: true,
  });
  const property = fc.property(fc.array(anyContent, { minLength: 1 }), (contents) => {
    const input = new Graph().input<Config>("in");
    let before = input.snapshot();
    collectionVersion(before);
    for (const content of contents) {
      const configs = Object.entries(content).map(([name, version]) => fakeConfig({ name, version }));
      input.replaceAll(configs.map((config) => [config.name, config]));
      const after = input.snapshot();
      carryVersion(before, after, changesBetween(before, after));
      expect(collectionVersion(after)).toBe(versionOf(configs));
      before = after;
    }
  });
  fc.assert(property, { seed, numRuns: runs(100) });
});

/** A view that counts how often it is read whole. */
function countedView(...configs: readonly Config[]) {
  const reads = { count: 0 };
  const entries = () => {
    reads.count++;
    return configs.map((config) => [config.name, config] as const);
  };
  const view: View<Config> = { name: "", size: configs.length, get: () => undefined, entries, values: () => configs };
  return { view, reads };
}

test("the version of a collection needs one full read, or none if it is carried over", () => {
  const [reviews, details] = [fakeConfig({ name: "reviews" }), fakeConfig({ name: "details" })];
  const [before, after] = [countedView(reviews), countedView(reviews, details)];
  const version = collectionVersion(before.view);
  expect(collectionVersion(before.view)).toBe(version);
  expect(before.reads.count).toBe(1);
  carryVersion(before.view, after.view, [{ type: "added", key: "details", after: details }]);
  expect(collectionVersion(after.view)).toBe(versionOf([details, reviews]));
  expect(after.reads.count).toBe(0);
});
