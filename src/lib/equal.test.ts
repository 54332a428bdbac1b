import { describe, expect, test } from "vitest";
import { deepEqual } from "./equal.ts";

class Port {
  readonly #number: number;
  constructor(number: number) {
    this.#number = number;
  }
  get number(): number {
    return this.#number;
  }
}
const port = new Port(80);
const bytes = new Uint8Array([0, 1, 2, 3]);

describe("deepEqual accepts", () => {
  test.each([
    ["primitives", "a", "a"],
    ["NaN and NaN", Number.NaN, Number.NaN],
    ["big integers", 7n, 7n],
    ["nested data", { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ["objects whose keys came in another order", { a: 1, b: 2 }, { b: 2, a: 1 }],
    [
      "objects without a prototype",
      Object.assign(Object.create(null), { a: 1 }),
      Object.assign(Object.create(null), { a: 1 }),
    ],
    ["maps", new Map([["a", [1]]]), new Map([["a", [1]]])],
    ["sets", new Set([1, 2]), new Set([2, 1])],
    ["bytes, wherever they lie", bytes.subarray(1, 3), new Uint8Array([1, 2])],
    ["one instance and itself", { port }, { port }],
  ])("%s", (_, a: unknown, b: unknown) => {
    expect(deepEqual(a, b)).toBe(true);
  });
});

describe("deepEqual rejects", () => {
  test.each([
    ["primitives of different types", 1, "1"],
    ["null and an object", null, {}],
    ["an object and undefined", {}, undefined],
    ["an array and an object", [], {}],
    ["arrays of different lengths", [1], [1, 1]],
    ["arrays with different members", [1, 2], [1, 3]],
    ["an absent property and an undefined one", { a: undefined }, {}],
    ["properties of different names", { a: undefined }, { b: undefined }],
    ["an own property and an inherited one", { constructor: Object }, { other: 1 }],
    ["nested values", { a: { b: 1 } }, { a: { b: 2 } }],
    ["maps of different sizes", new Map([["a", 1]]), new Map()],
    ["maps with different keys", new Map([["a", undefined]]), new Map([["b", undefined]])],
    ["maps with different values", new Map([["a", 1]]), new Map([["a", 2]])],
    ["sets of different sizes", new Set([1]), new Set([1, 2])],
    ["sets with different members", new Set([1]), new Set([2])],
    ["bytes of different lengths", new Uint8Array(1), new Uint8Array(2)],
    ["bytes with different content", new Uint8Array([1]), new Uint8Array([2])],
    ["two instances, whose state cannot be seen", new Port(80), new Port(80)],
    ["two functions", () => 1, () => 1],
  ])("%s", (_, a: unknown, b: unknown) => {
    expect(deepEqual(a, b)).toBe(false);
  });
});
