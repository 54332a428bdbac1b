import { expect, test } from "vitest";
import { ownValue } from "./own-value.ts";

test("a record holds its own entries only, and nothing from Object.prototype", () => {
  expect(ownValue({ toString: 1 }, "toString")).toBe(1);
  for (const key of ["toString", "constructor", "__proto__", "b"]) expect(ownValue({ a: 1 }, key)).toBeUndefined();
});
