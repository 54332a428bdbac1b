import { expect, test } from "vitest";
import { readRegex } from "../../explain/route/text-pattern.ts";
import { sampleText } from "./sample-text.ts";

test.each([
  "/api/.*",
  "/api/.+",
  "^/v[0-9]+/items/[^/]+$",
  "(?i)/search",
  "/(a|b)/c",
  String.raw`/item\.html`,
  String.raw`/\d+/x`,
  "(?:foo|bar)baz",
  "/shop(/.*)?",
  "exact",
])("finds a text that %s matches", (value) => {
  const sample = sampleText({ type: "regex", value, ignoreCase: false });
  expect(sample !== undefined && readRegex(value, "whole")?.test(sample)).toBe(true);
});

test("says that it found none", () => {
  expect(sampleText({ type: "regex", value: "(ab){3}c[x-z]{9}", ignoreCase: false })).toBeUndefined();
});
