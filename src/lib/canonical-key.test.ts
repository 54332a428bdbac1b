import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seed } from "../testing/random/seed.ts";
import { canonicalKey } from "./canonical-key.ts";

/** Texts with every character that is special in some encoding of keys. */
const hostileText = fc.string({
  unit: fc.constantFrom(
    "a",
    "b",
    ",",
    "=",
    ":",
    '"',
    "\\",
    "[",
    "]",
    "{",
    "}",
    "|",
    " ",
    "<",
    "/",
    "\n",
    "\ud800",
    "é",
  ),
  maxLength: 6,
});

const plainValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    hostileText,
    fc.constantFrom(
      0,
      1,
      -1,
      0.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      true,
      false,
      undefined,
      null,
      0n,
      1n,
      "1",
      "1n",
      "true",
      "undefined",
      "null",
      "NaN",
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(hostileText, tie("value"), { maxKeys: 3 }),
    fc.array(fc.tuple(hostileText, tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(hostileText, { maxLength: 3 }).map((items) => new Set(items)),
  ),
})).value;

/** `canonicalKey` without its type check, for values that are known to be plain. */
const keyOf = canonicalKey as (value: unknown) => string;

describe("the key of a plain value", () => {
  test("is equal for two values exactly when their contents are equal", () => {
    fc.assert(
      fc.property(plainValue, plainValue, (a, b) => {
        expect(keyOf(a) === keyOf(b)).toBe(sameContent(a, b));
      }),
      { seed, numRuns: 20_000 },
    );
  });

  test.each([
    ["labels with a comma", { app: "x,y=z" }, { app: "x", y: "z" }],
    ["a name that contains another's end", { a: "b" }, { 'a":"b': "" }],
    ["a list and its only item", ["x"], "x"],
    ["a list of one text and of two", ["a,b"], ["a", "b"]],
    ["a text and the number it spells", "1", 1],
    ["a text and the absence it spells", "undefined", undefined],
    ["an absent field and a field without a value", {}, { field: undefined }],
    ["files of a server and files of a client", { server: { key: "k" } }, { client: { key: "k" } }],
    ["a list and a set", ["a"], new Set(["a"])],
    ["an object and a map", { a: 1 }, new Map([["a", 1]])],
  ])("tells apart %s", (_, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  test("does not depend on the order of names, nor on that of entries in maps and sets", () => {
    expect(keyOf({ b: { d: 1, c: 2 }, a: 3 })).toBe(keyOf({ a: 3, b: { c: 2, d: 1 } }));
    expect(
      keyOf(
        new Map([
          [80, 8080],
          [443, 8443],
        ]),
      ),
    ).toBe(
      keyOf(
        new Map([
          [443, 8443],
          [80, 8080],
        ]),
      ),
    );
    expect(keyOf(new Set(["b", "a"]))).toBe(keyOf(new Set(["a", "b"])));
  });

  test("depends on the order of a list", () => {
    expect(keyOf(["a", "b"])).not.toBe(keyOf(["b", "a"]));
  });

  test("is readable for people", () => {
    expect(canonicalKey({ namespace: "shop", labels: { app: "cart" }, ports: [80] })).toBe(
      '{"labels":{"app":"cart"},"namespace":"shop","ports":[80]}',
    );
  });

  test.each([
    ["a function", () => 1],
    ["an object of a class", { date: new Date(0) }],
    ["bytes", { bytes: new Uint8Array(1) }],
    ["a symbol", Symbol("x")],
  ])("cannot be built for %s", (_, value) => {
    expect(() => keyOf(value)).toThrow("a key");
  });
});

/** Equality by content, implemented independently of the encoding. */
function sameContent(a: unknown, b: unknown): boolean {
  if (a instanceof Set && b instanceof Set) return a.size === b.size && [...a].every((item) => b.has(item));
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && sameContent(value, b.get(key)));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameContent(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return Object.is(a, b);
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameContent(a[name], b[name]))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  return !(value instanceof Map) && !(value instanceof Set) && !Array.isArray(value);
}
