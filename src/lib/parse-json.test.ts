import { expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

test("invalid JSON is undefined, and never throws", () => {
  expect(parseJson('{"a": [1, null]}')).toEqual({ a: [1, null] });
  expect(parseJson("")).toBeUndefined();
  expect(parseJson('{"a":')).toBeUndefined();
  expect(parseJson("<html>")).toBeUndefined();
});

function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

test("JSON with too deep nesting is undefined; brackets in strings are not nesting", () => {
  expect(parseJson(nested(200))).toBeDefined();
  expect(parseJson(nested(201))).toBeUndefined();
  expect(parseJson(nested(100_000))).toBeUndefined();
  expect(parseJson(JSON.stringify("[".repeat(300)))).toBe("[".repeat(300));
});
