import { expect, test } from "vitest";
import { positionOf } from "./position-of.ts";

test.each([
  ["a", 0],
  ["b", 0],
  ["c", 1],
  ["f", 2],
  ["z", 3],
])("the position of %j is where it is or would be inserted", (key, position) => {
  expect(positionOf(["b", "d", "f"], key)).toBe(position);
});

test("the position in an empty list is 0", () => {
  expect(positionOf([], "a")).toBe(0);
});
