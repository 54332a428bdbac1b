import { Session } from "node:inspector/promises";
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
  expect(few).toBeGreaterThanOrEqual(100);
  expect(many / few).toBe(1600);
});

test("calls are still counted after another session of the process has ended", async () => {
  const before = await functionCalls(isLib, () => comparePairs(10));
  const profiler = new Session();
  profiler.connect();
  await profiler.post("Profiler.enable");
  profiler.disconnect();
  expect(await functionCalls(isLib, () => comparePairs(10))).toBe(before);
});
