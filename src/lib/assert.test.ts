import { expect, test } from "vitest";
import { assert } from "./assert.ts";

test("a condition that holds passes", () => {
  expect(() => assert(1 + 1 === 2, "arithmetic works")).not.toThrow();
});

test("a condition that does not hold throws the given message", () => {
  expect(() => assert(undefined, "there is a value")).toThrow(
    expect.objectContaining({ name: "AssertionError", message: "there is a value" }),
  );
});
