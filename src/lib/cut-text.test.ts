import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { cutText } from "./cut-text.ts";

test.each([
  ["short", 5, "short"],
  ["longer", 5, "longe… (6 characters)"],
  ["", 0, ""],
])("the text %j cut at %d characters is %j", (text, length, cut) => {
  expect(cutText(text, length)).toBe(cut);
});

test("the original text does not stay in memory", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 40 }, (_, index) => cutText(`${index}${"x".repeat(1 << 20)}`, 100));
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 << 20);
  expect(kept).toHaveLength(40);
});
