import { describe, expect, test } from "vitest";
import { excerptAt } from "./source-excerpt.ts";

/** The text that is underlined, by where it begins. */
function underlined(line: string, column: number): string {
  const excerpt = excerptAt(`first\n${line}\nlast`, { line: 2, column });
  if (excerpt === undefined) throw new Error("the line is there");
  const start = excerpt.underline.indexOf("^");
  return excerpt.line.slice(start, start + excerpt.underline.trim().length);
}

describe("an excerpt underlines", () => {
  test.each([
    ["  weight: lots", 3, "weight: lots"],
    ["  weight: lots   # of them", 3, "weight: lots"],
    ["  spec:", 3, "spec"],
    ["  spec: # below", 3, "spec"],
    ["  name: hello, world", 3, "name: hello, world"],
    ["  - { number: 80, name: http }", 7, "number: 80"],
    ["  - { number: 80, name: http }", 19, "name: http"],
    ["  hosts: [a, b]", 3, "hosts: [a, b]"],
    ["  hosts: [a, b]", 11, "a"],
    ["  port: { number: 80, hosts: [a, b] } # both", 23, "hosts: [a, b]"],
    ['  labels: { v: "one, two", w: x }', 13, 'v: "one, two"'],
    ["  note: it's [broken", 3, "note: it's [broken"],
    ["  url: http://a/#b", 3, "url: http://a/#b"],
    ["  ref: *defaults # here", 8, "*defaults"],
    ['  host: "never closed', 9, '"never closed'],
    ["", 1, ""],
    ["short", 40, ""],
  ])("%j from column %i: %j", (line, column, expected) => {
    expect(underlined(line, column)).toBe(expected);
  });
});

describe("an excerpt", () => {
  test("marks the end of the line for a column behind it", () => {
    expect(excerptAt("a:", { line: 1, column: 9 })).toEqual({ line: "a:", underline: "  ^" });
  });

  test("shows tabs, and escapes terminal control sequences", () => {
    expect(excerptAt("\ta: \u001B[31mred\r\n", { line: 1, column: 2 })).toEqual({
      line: "→a: ·[31mred",
      underline: " ^^^^^^^^^^^",
    });
  });

  test("does not count a byte order mark", () => {
    expect(excerptAt("\uFEFFkind: X", { line: 1, column: 1 })).toEqual({ line: "kind: X", underline: "^^^^^^^" });
  });

  test("shortens a very long line", () => {
    const line = `${"x".repeat(500)} here: 1 ${"y".repeat(500)}`;
    const excerpt = excerptAt(line, { line: 1, column: 502 });
    expect(excerpt?.line).toHaveLength(120);
    expect(excerpt?.line.slice(excerpt.underline.indexOf("^"))).toMatch(/^here: 1 y/u);
    expect(excerpt?.underline.length).toBeLessThanOrEqual(120);
  });

  test("needs a line", () => {
    expect(excerptAt("one\ntwo", { line: 3, column: 1 })).toBeUndefined();
  });
});
