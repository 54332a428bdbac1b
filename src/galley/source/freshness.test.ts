import { expect, test } from "vitest";
import { Freshness } from "./freshness.ts";

test("a reason is reported once, and a new reason again", () => {
  const freshness = new Freshness();
  expect(freshness.stale("nobody listens")).toEqual([{ type: "stale", reason: "nobody listens" }]);
  expect(freshness.stale("nobody listens")).toEqual([]);
  expect(freshness.stale("it hung up")).toEqual([{ type: "stale", reason: "it hung up" }]);
});

test("only a stale source becomes fresh, and may become stale for the same reason again", () => {
  const freshness = new Freshness();
  expect(freshness.fresh()).toEqual([]);
  freshness.stale("nobody listens");
  expect(freshness.fresh()).toEqual([{ type: "fresh" }]);
  expect(freshness.fresh()).toEqual([]);
  expect(freshness.stale("nobody listens")).toEqual([{ type: "stale", reason: "nobody listens" }]);
});
