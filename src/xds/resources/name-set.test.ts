import { describe, expect, test } from "vitest";
import { digestOfRun } from "../../lib/run-sum.ts";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { addedNames, NameSets, noNames } from "./name-set.ts";

const sum = (...names: readonly string[]) => names.reduce((total, name) => total + digestOfRun(name), 0n);

describe("name sets", () => {
  test("are one object for equal names in any order, and another object for other names", () => {
    const sets = new NameSets();
    const first = sets.intern(["a", "b"]);
    expect([...first]).toEqual(["a", "b"]);
    expect(sets.intern(["b", "a", "b"])).toBe(first);
    expect([...sets.intern(["a", "c"])]).toEqual(["a", "c"]);
    expect(sets.size).toBe(2);
  });

  test("share one empty set, which is not stored", () => {
    const sets = new NameSets();
    expect([sets.intern([]), sets.find({ size: 0, digest: 0n, hash: 0n })]).toEqual([noNames, noNames]);
    expect([noNames.size, sets.size]).toEqual([0, 0]);
  });

  test("are found by size and digest, without the names", () => {
    const sets = new NameSets();
    const set = sets.intern(["a", "b"]);
    expect(sets.find({ size: 2, digest: sum("b", "a"), hash: 1n })).toBe(set);
    expect(sets.find({ size: 3, digest: sum("a", "b"), hash: 2n })).toBeUndefined();
    expect(sets.find({ size: 2, digest: sum("a", "c"), hash: 3n })).toBeUndefined();
  });

  test("are found by the hash of their bytes after the first time, without a sum over the names", () => {
    const sets = new NameSets();
    const set = sets.intern(["a", "b"]);
    let sums = 0;
    const names = {
      size: 2,
      hash: 7n,
      get digest() {
        sums++;
        return sum("a", "b");
      },
    };
    for (let client = 0; client < 100; client++) expect(sets.find(names)).toBe(set);
    expect(sums).toBe(1);
  });

  test("are compared with the names of held versions, which are looked at once for equal versions", () => {
    const sets = new NameSets();
    const names = sets.intern(["a", "b"]);
    let looks = 0;
    const holding = (digest: bigint, ...held: readonly string[]) => ({
      size: held.length,
      digest,
      get nameDigest() {
        looks++;
        return sum(...held);
      },
    });
    for (let client = 0; client < 100; client++) expect(sets.areOf(names, holding(1n, "b", "a"))).toBe(true);
    expect(looks).toBe(1);
    for (let client = 0; client < 100; client++) expect(sets.areOf(names, holding(2n, "a", "c"))).toBe(false);
    expect(looks).toBe(2);
    expect(sets.areOf(names, holding(3n, "a"))).toBe(false);
  });

  test("change by some names more and some less; an equal change finds the set, another change makes another", () => {
    const sets = new NameSets();
    const before = sets.intern(["a", "b", "c"]);
    const after = sets.change(before, ["d"], ["a", "*"]);
    expect([...after].toSorted()).toEqual(["b", "c", "d"]);
    expect(sets.change(before, ["d"], ["a", "*"])).toBe(after);
    expect(sets.intern(["d", "c", "b"])).toBe(after);
    expect([...sets.change(before, ["d"], ["b", "*"])].toSorted()).toEqual(["a", "c", "d"]);
    expect([...sets.change(after, ["d"], ["b", "*"])].toSorted()).toEqual(["c", "d"]);
    expect([...addedNames(before, after)]).toEqual(["d"]);
    expect(addedNames(after, after)).toBe(noNames);
  });

  test("are hashed once if a hundred clients change them alike", async () => {
    const sets = new NameSets();
    const before = sets.intern(Array.from({ length: 50 }, (_, index) => `service-${index}`));
    const change = () => sets.change(before, ["another"], ["*"]);
    const hashes = (clients: number) =>
      functionCalls(
        (url) => url.endsWith("/lib/run-sum.ts"),
        () => Array.from({ length: clients }, change),
        (name) => name === "digestOfRun",
      );
    expect(await hashes(1)).toBe(51);
    expect(await hashes(100)).toBe(0);
    expect(addedNames(before, change())).toBe(addedNames(before, change()));
  });
});
