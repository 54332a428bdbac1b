import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../../src/testing/random/seed.ts";
import { percentages } from "./percentages.ts";

test.each([
  [
    [80, 20],
    [80, 20],
  ],
  [
    [1, 1, 1],
    [34, 33, 33],
  ],
  [
    [203, 197, 0],
    [51, 49, 0],
  ],
  [
    [0, 0],
    [0, 0],
  ],
  [[], []],
])("the counts %j are %j percent", (counts, expected) => {
  expect(percentages(counts)).toEqual(expected);
});

test("percentages add up to 100, and none is off by one or more", () => {
  const counts = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 6 });
  const property = fc.property(counts, (given) => {
    const total = given.reduce((sum, count) => sum + count, 0);
    fc.pre(total > 0);
    const shown = percentages(given);
    expect(shown.reduce((sum, percent) => sum + percent, 0)).toBe(100);
    for (const [index, count] of given.entries()) {
      expect(Math.abs((shown[index] ?? 0) - (count * 100) / total)).toBeLessThan(1);
    }
  });
  fc.assert(property, { seed, numRuns: runs(100) });
});
