import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { programSize } from "./program-size.ts";
import { unroll } from "./unroll.ts";

describe("the size of an expression's program", () => {
  // Sizes from RE2 2025-11-05; test/e2e/re2.test.ts compares random expressions with a real RE2.
  test.each([
    ["a", 5],
    ["abc", 7],
    [".", 12],
    [".*", 12],
    ["[a-z]+", 6],
    ["(?i)abc", 7],
    ["(?i)k", 8],
    ["/api/v[0-9]+/.*", 21],
    ["(a|b|c|abc)", 10],
    ["\\p{Greek}", 66],
    ["\\pL", 1200],
    ["\\p{Greek}|[^\\pL]|,|(?s).", 1180],
    ["[^a]*(?s){0,}", 15],
    ["(?i:(?i:\\W){1,}?)*", 47],
    ["a{1000}", 1004],
    ["(?:ß{0}){1000}", 1004],
    ["(a{1,30}){1,30}", 1863],
  ])("%s: at least %d, and not much more", (pattern, size) => {
    const estimate = programSize(RE2JS.compile(pattern));
    expect(estimate).toBeGreaterThanOrEqual(size);
    expect(estimate).toBeLessThanOrEqual(size * 1.5 + 6);
  });

  test("an alternative that equals the one before is not underestimated", () => {
    expect(programSize(RE2JS.compile("\\pL|\\pL|\\p{Any}"))).toBeGreaterThanOrEqual(1208);
    expect(programSize(RE2JS.compile("[]|[]"))).toBeLessThan(100);
  });
});

describe("the length of an expression with its repetitions written out", () => {
  test.each([
    ["abc", 3],
    ["a{3}b", 4],
    ["(a{2}b){3}", 9],
    ["(?:ab){2,5}", 10],
    ["(?P<n>ab){4}", 8],
    ["(?i)a{2,}", 2],
    ["[]a{9}]{2}", 2],
    ["\\Qab\\E\\p{Greek}{4}", 6],
    ["a{0}", 0],
    ["x{1,2", 5],
  ])("%s: %d", (pattern, length) => {
    expect(unroll(pattern)).toMatchObject({ length });
  });
});

describe("the repetitions of the most repeated part of an expression", () => {
  test.each([
    ["a*", 1],
    ["a{3}b", 3],
    ["(a{3}b){0,5}", 15],
    ["(?:a{30}){0}b{7}", 30],
    ["a{1000,}", 1000],
  ])("%s: %d times", (pattern, copies) => {
    expect(unroll(pattern)).toMatchObject({ copies });
  });
});
