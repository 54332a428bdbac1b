import fc from "fast-check";
import { expect, test } from "vitest";
import { seed } from "../testing/random/seed.ts";
import { histogramOf } from "./histogram.ts";

test("a histogram has a bar for each step between the shortest and the longest time", () => {
  expect(histogramOf([])).toEqual([]);
  expect(histogramOf([0.4, 1, 1.5, 30, 11, 20])).toEqual([
    { upToMs: 1, count: 2 },
    { upToMs: 2, count: 1 },
    { upToMs: 5, count: 0 },
    { upToMs: 10, count: 0 },
    { upToMs: 20, count: 2 },
    { upToMs: 50, count: 1 },
  ]);
});

test("every time is in the one bar that is as long as it, and the bar before is shorter", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), (times) => {
      const bars = histogramOf(times);
      for (const [index, { upToMs, count }] of bars.entries()) {
        const above = bars[index - 1]?.upToMs ?? 0;
        const held = times.filter((time) => time <= upToMs && (time > above || index === 0));
        expect(count).toBe(held.length);
      }
      expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(times.length);
    }),
    { seed, numRuns: 200 },
  );
});
