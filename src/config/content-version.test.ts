import fc from "fast-check";
import { expect, test } from "vitest";
import { compareTexts } from "../lib/compare.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { canonicalJson } from "./content-version.ts";

/** The definition: what JSON makes of objects whose keys were added in order. Versions of other servers depend on it. */
function byDefinition(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => compareTexts(a, b)));
  });
}

test("the text that a version is the hash of is JSON with sorted keys, for any content", () => {
  const key = fc.oneof(
    fc.string(),
    fc.nat().map(String),
    fc.constantFrom("01", "-1", "4294967294", "4294967295", "1e3"),
  );
  const values = [fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)];
  fc.assert(
    fc.property(fc.object({ key, values, maxDepth: 4 }), (value) => {
      expect(canonicalJson(value)).toBe(byDefinition(value));
    }),
    { seed, numRuns: runs(300) },
  );
});

test("a field that is undefined is left out, and negative zero is zero", () => {
  expect(canonicalJson({ b: -0, a: undefined, 2: [], 10: {}, 1: "é\u2028" })).toBe(
    byDefinition({ b: -0, a: undefined, 2: [], 10: {}, 1: "é\u2028" }),
  );
});
