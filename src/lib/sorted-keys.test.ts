import { expect, test } from "vitest";
import { sortedKeys } from "./sorted-keys.ts";

test.each([
  [{}, []],
  [{ only: 1 }, ["only"]],
  [{ a: 1, b: 2, c: 3 }, ["a", "b", "c"]],
  [{ b: 1, a: 2, c: 3 }, ["a", "b", "c"]],
  [{ "9": 1, "10": 2 }, ["10", "9"]],
])("the keys of %j are in code-unit order", (object, keys) => {
  expect(sortedKeys(object)).toEqual(keys);
});
