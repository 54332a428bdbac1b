import { describe, expect, test } from "vitest";
import { regex, substitution } from "./regex.ts";

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
    "\\p{Zs}+",
    "a{90}",
    "\\x{FF}é",
    "\\Q\\x{100}\\E",
  ])("%s is fine", (pattern) => {
    expect(regex(pattern, "path")).toEqual([]);
  });

  test.each([
    "",
    "(",
    "a)",
    "[a",
    "*a",
    "a**",
    "(?=a)b",
    "(?!a)b",
    "(?<=a)b",
    "(a)\\1",
    "a{1001}",
    "\\i",
    "\\p{Foo}",
    "(a{1,900}){1,900}",
    "[[:foo:]]",
    "\\u0041",
    "[^]",
    "\\cA",
    "\\x{110000}",
    "\ud800",
    "\\pL{100}",
    "(?:(?:a{1000}){0}){1000}",
    "\\x{100}",
    "é".repeat(513),
    "[a-\\x{10FFFF}]",
  ])("%j is refused", (pattern) => {
    const findings = regex(pattern, "path");
    expect(findings.map(({ severity, code, path }) => [severity, code, path])).toEqual([
      ["error", "bad-regex", "path"],
    ]);
  });

  test.each(["a{100}", "\\pL", "(?:a|b.){10}"])(
    "%s is larger than the default limit of Envoy, which is a warning",
    (pattern) => {
      const findings = regex(pattern, "path");
      expect(findings.map(({ severity, code }) => [severity, code])).toEqual([["warning", "large-regex"]]);
    },
  );

  test("an expression that expands to a million characters is refused without being compiled", () => {
    // A compiler would report the unclosed parenthesis.
    const findings = regex(`(?:${"abc.".repeat(250)}){1000}(`, "path");
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining("more than 32768 instructions")]);
  });

  test.each([
    ["/\\1/\\2", "(a)(b)", []],
    ["\\0\\\\", "a", []],
    ["\\3", "(a)(b)", ["warning"]],
    ["\\x", "(a)", ["warning"]],
    ["a\\", "(a)", ["warning"]],
    ["\\1", "(", []],
  ])("a match replaced with %s, of %s: %j", (text, pattern, severities) => {
    expect(substitution(text, pattern, "path").map(({ severity }) => severity)).toEqual(severities);
  });
});
