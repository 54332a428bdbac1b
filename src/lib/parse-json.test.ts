import { expect, test } from "vitest";
import { parseJson } from "./parse-json.ts";

test("what is no JSON says nothing, and never throws", () => {
  expect(parseJson('{"a": [1, null]}')).toEqual({ a: [1, null] });
  expect(parseJson("")).toBeUndefined();
  expect(parseJson('{"a":')).toBeUndefined();
  expect(parseJson("<html>")).toBeUndefined();
});
