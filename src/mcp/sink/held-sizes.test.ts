import { expect, test } from "vitest";
import { HeldSizes } from "./held-sizes.ts";

/** Says what came and went; gives the limit that it would exceed. */
function increment(sizes: HeldSizes, came: Readonly<Record<string, number>>, removed: readonly string[] = []) {
  return sizes.take({ whole: false, removed, came: new Map(Object.entries(came)) })?.message;
}

test("objects added one by one exceed the limit of a collection, and are not counted then", () => {
  const sizes = new HeldSizes("rules", { objects: 2 });
  expect([increment(sizes, { a: 1 }), increment(sizes, { b: 1 })]).toEqual([undefined, undefined]);
  const excess = "rules exceeds the limit of 2 objects: 3 came";
  expect([increment(sizes, { c: 1 }), increment(sizes, { c: 1 })]).toEqual([excess, excess]);
  expect(increment(sizes, { c: 1 }, ["a", "a", "unheard"])).toBeUndefined();
});

test("only the newest version of each object counts", () => {
  const sizes = new HeldSizes("rules", { bytes: 10 });
  expect([increment(sizes, { a: 9 }), increment(sizes, { a: 4 }), increment(sizes, { b: 6 })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(increment(sizes, { a: 5 })).toBe("rules exceeds the limit of 10 bytes: 11 came");
  expect(increment(sizes, { a: 10 }, ["b"])).toBeUndefined();
});

test("a full state replaces the earlier count", () => {
  const sizes = new HeldSizes("rules", { objects: 2 });
  increment(sizes, { a: 1, b: 1 });
  const came = new Map([
    ["c", 1],
    ["d", 1],
  ]);
  expect(sizes.take({ whole: true, removed: [], came })).toBeUndefined();
  expect(increment(sizes, { d: 2 })).toBeUndefined();
});

test("removed objects make room, also for later messages", () => {
  const sizes = new HeldSizes("rules", { objects: 2, bytes: 10 });
  increment(sizes, { a: 4, b: 6 });
  expect(increment(sizes, {}, ["a"])).toBeUndefined();
  expect(increment(sizes, { c: 4 })).toBeUndefined();
  expect(increment(sizes, { d: 0 })).toBe("rules exceeds the limit of 2 objects: 3 came");
});

test("a full state replaces the earlier byte count", () => {
  const sizes = new HeldSizes("rules", { bytes: 10 });
  const whole = (size: number) => sizes.take({ whole: true, removed: [], came: new Map([["a", size]]) })?.message;
  expect([whole(10), whole(10)]).toEqual([undefined, undefined]);
  expect(whole(11)).toBe("rules exceeds the limit of 10 bytes: 11 came");
});
