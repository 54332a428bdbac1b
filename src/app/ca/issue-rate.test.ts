import { expect, test } from "vitest";
import { caLimits } from "../../ca/ca-limits.ts";
import { limitsOf } from "../../lib/bounded/limit.ts";
import { IssueRate } from "./issue-rate.ts";

const rateOf = (limits: { readonly burst: number; readonly perSecond: number }) =>
  new IssueRate(limitsOf(caLimits, limits));

test("an identity gets a burst of certificates at once, then as many per second as the rate allows", () => {
  const rate = rateOf({ burst: 3, perSecond: 2 });
  expect([0, 0, 0, 0].map((now) => rate.take("reviews", now))).toEqual([0, 0, 0, 500]);
  expect(rate.take("reviews", 250)).toBe(250);
  expect(rate.take("reviews", 500)).toBe(0);
  expect(rate.take("reviews", 500)).toBe(500);
});

test("the flood of one identity does not affect another", () => {
  const rate = rateOf({ burst: 1, perSecond: 1 });
  expect(rate.take("flood", 0)).toBe(0);
  expect(rate.take("flood", 0)).toBe(1_000);
  expect(rate.take("reviews", 0)).toBe(0);
});

test("time does not save up more than one burst", () => {
  const rate = rateOf({ burst: 2, perSecond: 1 });
  rate.take("reviews", 0);
  expect([1e9, 1e9, 1e9].map((now) => rate.take("reviews", now))).toEqual([0, 0, 1_000]);
});

test("an identity is forgotten when its burst is full again, and not before", () => {
  const rate = rateOf({ burst: 2, perSecond: 1 });
  rate.take("early", 0);
  rate.take("late", 1_000);
  expect([rate.take("other", 1_999), rate.size]).toEqual([0, 3]);
  expect([rate.take("other", 2_000), rate.size]).toEqual([0, 2]);
  expect([rate.take("other", 60_000), rate.size]).toEqual([0, 1]);
});
