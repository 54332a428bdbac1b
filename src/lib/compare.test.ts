import { expect, test } from "vitest";
import { compareTexts } from "./compare.ts";

test("texts are ordered by code units, not by locale", () => {
  expect(["ä", "b", "B", "a/2", "a", "a"].toSorted(compareTexts)).toEqual(["B", "a", "a", "a/2", "b", "ä"]);
});
