import { expect, test } from "vitest";
import { compareTexts } from "../../lib/compare.ts";
import { functionCalls } from "./function-calls.ts";

function comparePairs(count: number): void {
  for (let a = 0; a < count; a += 1) for (let b = 0; b < count; b += 1) compareTexts("a", "b");
}

function isLib(url: string): boolean {
  return url.includes("/src/lib/");
}

test("pairwise comparison makes function calls grow with the square of the items", async () => {
  const few = await functionCalls(isLib, () => comparePairs(10));
  const many = await functionCalls(isLib, () => comparePairs(400));
  expect(many / few).toBe(1600);
});
