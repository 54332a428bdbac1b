import { expect, test } from "vitest";
import { LinearRegex } from "./linear-regex.ts";

const texts = ["", "1.29.6", "1.29", "1.3.0", "11.29", "1.29.6-dev", "a1.29", "aaab", "x\ny", "1-29", "]", "$"];

test.each([
  "",
  "^1\\.29.*",
  "1\\.29",
  "^1\\.(28|29)\\..*$",
  "^1\\.2[0-9]",
  "^1\\.2[^89]",
  "^(?:1|11)\\.29$",
  "^\\d+\\.\\d{2}(\\.\\d+)?$",
  "a{2,3}b",
  "a{2,}?b",
  "a{3}$",
  "x.y",
  "\\w\\W\\w",
  "[\\]a]",
  "[.-]2",
  "\\$",
  "(a|b)*b$",
  "()",
  "|1",
  "^$",
])("the pattern %j finds the same texts as JavaScript", (pattern) => {
  const regex = LinearRegex.read(pattern);
  expect(texts.filter((text) => regex?.test(text))).toEqual(texts.filter((text) => new RegExp(pattern).test(text)));
});

test.each(["(", "a)", "[a", "*", "a**", "\\", "(?i)a", "(?P<n>a)", "[[:alpha:]]", "\\pN", "((a{99}){99}){99}"])(
  "the pattern %j is not read",
  (pattern) => {
    expect(LinearRegex.read(pattern)).toBeUndefined();
  },
);

test("a pattern that keeps JavaScript busy for ever ends here", () => {
  expect(LinearRegex.read("^(a+)+$")?.test(`${"a".repeat(50_000)}b`)).toBe(false);
});
