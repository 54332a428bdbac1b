import { expect, test } from "vitest";
import { quantilesOf } from "./quantiles.ts";

test("quantiles are times that were measured", () => {
  const times = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(quantilesOf(times)).toEqual({ count: 100, p50: 50, p99: 99, max: 100 });
  expect(quantilesOf([7])).toEqual({ count: 1, p50: 7, p99: 7, max: 7 });
  expect(quantilesOf([])).toEqual({ count: 0, p50: 0, p99: 0, max: 0 });
});
