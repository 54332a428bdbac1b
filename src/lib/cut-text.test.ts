import { expect, test } from "vitest";
import { cutText } from "./cut-text.ts";

test.each([
  ["short", 5, "short"],
  ["longer", 5, "longe… (6 characters)"],
  ["", 0, ""],
])("the text %j cut at %d characters is %j", (text, length, cut) => {
  expect(cutText(text, length)).toBe(cut);
});
