import { expect, test } from "vitest";
import { scalarText } from "./scalar-text.ts";

test.each([
  ["text", "text"],
  [7, "7"],
  [false, "false"],
  [null, ""],
  [undefined, ""],
  [["a"], ""],
  [{ toString: 1, valueOf: 1 }, ""],
])("the text of %j is %j", (raw, text) => {
  expect(scalarText(raw)).toBe(text);
});
