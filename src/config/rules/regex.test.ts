import { describe, expect, test } from "vitest";
import { regex } from "./regex.ts";

describe("regular expressions for Envoy", () => {
  test.each([
    "^(.*?;)?(user=jason)(;.*)?$",
    "(?i)mobile",
    "(?i:a)b",
    "(?P<name>a+)",
    "[[:alpha:]]+",
    "\\d{3}",
    "\\Q[literal\\E.*",
    "\\(?=x",
    "a\\\\1",
    "\\pN+",
  ])("%s is fine", (pattern) => {
    expect(regex(pattern, "path")).toEqual([]);
  });

  test.each(["", "(", "a)", "[a", "*a", "a**", "(?=a)b", "(?!a)b", "(?<=a)b", "(a)\\1"])("%j is refused", (pattern) => {
    expect(regex(pattern, "path").map(({ code, path }) => [code, path])).toEqual([["bad-regex", "path"]]);
  });
});
