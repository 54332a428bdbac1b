import { expect, test } from "vitest";
import { type CallResult, Traffic } from "./calls.ts";

const v1: CallResult = { type: "answered", by: "reviews-v1" };
const v2: CallResult = { type: "answered", by: "reviews-v2" };
const failed: CallResult = { type: "failed", reason: "UNAVAILABLE" };

test("traffic is counted by answering workload and by reason of failure", () => {
  const traffic = new Traffic({ intervals: 2 });
  traffic.count([v1, v1, failed]);
  traffic.count([v2]);
  traffic.endInterval();
  expect(traffic.tally()).toEqual({
    calls: 4,
    answered: new Map([
      ["reviews-v1", 2],
      ["reviews-v2", 1],
    ]),
    failed: new Map([["UNAVAILABLE", 1]]),
  });
});

test("a finished interval counts until as many later ones have finished", () => {
  const traffic = new Traffic({ intervals: 2 });
  const calls = [];
  traffic.count([v1]);
  for (let interval = 0; interval < 4; interval++) {
    calls.push(traffic.tally().calls);
    traffic.endInterval();
  }
  expect(calls).toEqual([0, 1, 1, 0]);
});
