import { describe, expect, test } from "vitest";
import { hash64 } from "../../lib/hash.ts";
import { NameSets, noNames } from "./name-set.ts";

const sum = (...names: readonly string[]) => names.reduce((total, name) => total + hash64(name), 0n);

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
    expect([sets.intern([]), sets.find({ size: 0, digest: 0n })]).toEqual([noNames, noNames]);
    expect([noNames.size, sets.size]).toEqual([0, 0]);
  });

  test("are found by size and digest, without the names", () => {
    const sets = new NameSets();
    const set = sets.intern(["a", "b"]);
    expect(sets.find({ size: 2, digest: sum("b", "a") })).toBe(set);
    expect(sets.find({ size: 3, digest: sum("a", "b") })).toBeUndefined();
    expect(sets.find({ size: 2, digest: sum("a", "c") })).toBeUndefined();
  });
});
