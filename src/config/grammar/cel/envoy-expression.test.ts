import { describe, expect, test } from "vitest";
import { expressionMistake } from "./envoy-expression.ts";

/** Built from what a real Envoy 1.40 accepts. */
const accepted = [
  "response.code >= 400",
  "connection.mtls && request.url_path.contains('v1beta3')",
  '!has(request.useragent) || !(request.useragent.startsWith("probe"))',
  "request.headers['x-a'] == 'b' && a in [1, 2,]",
  "timestamp('2020-01-01T00:00:00Z') < request.time && request.time.getHours('UTC') > 5",
  "a ? b : c ? d : e",
  "-9223372036854775807 < a",
  "request.path.matches('^/(a|b)$')",
  "a == ',)' // f(a,)",
  'a == 0x1f || a == r"\\\'"',
  `a${" || a".repeat(200)}`,
];

/** A real Envoy 1.40 refuses the whole listener for these, except for the last three: they are limits of ours. */
const refused: readonly (readonly [string, string])[] = [
  [" ", "Unexpected token"],
  ["response.code >= 400 &&", "Unexpected token"],
  ["a = b", "Unexpected character"],
  ["'a", "string"],
  ["if", "Reserved identifier"],
  ["foo(1)", "no function foo of 1 arguments"],
  ["string(a) == 'b'", "no function string"],
  ["size(a, b)", "no function size of 2"],
  ["a.lowerAscii() == 'b'", "no method lowerAscii"],
  ["a.startsWith()", "no method startsWith of 0"],
  ["[1, 2].exists(x, x > 1)", "no method exists"],
  ["has(a)", "has() takes one field"],
  ["request.path.matches('[a-')", "missing closing ]"],
  ["matches(a, '[a-')", "missing closing ]"],
  ["request.path.matches('a{110}')", "more than 100 instructions"],
  ["9223372036854775808", "63 bits"],
  ["a == 0X1f", "begins with 0x"],
  ["a == r'\\''", "cannot contain '"],
  ["size(a,)", "comma"],
  ["a ? b ? c : d : e", "between ? and :"],
  ["!-a", "- cannot follow !"],
  ["-!a", "! cannot follow -"],
  ["a.?b", ""],
  ["Foo{a: 1}", "Unexpected character"],
  [`${"(".repeat(33)}a${")".repeat(33)}`, "nested"],
  [`a${".b".repeat(33)}`, "nested"],
  [`a${" + a".repeat(33)}`, "nested"],
  ["'\ud800'", "not text"],
  ["!".repeat(2000) + "a", "nested"],
  ["a".repeat(3000), "more than 2048 characters"],
];

describe("an expression that Envoy", () => {
  test.each(accepted)("accepts has no mistake: %s", (text) => {
    expect(expressionMistake(text)).toBeUndefined();
  });

  test.each(refused)("refuses has a mistake with a reason: %s", (text, reason) => {
    expect(expressionMistake(text)).toContain(reason);
  });
});
