import { expect, test } from "vitest";
import { GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import { Overload } from "../../../lib/overload/overload.ts";
import { LoadLimit } from "./load-limit.ts";

function strained(queueMs: number): Overload {
  const overload = new Overload();
  const memory = { usedBytes: 0, limitBytes: 1 };
  for (let sample = 0; sample < 2; sample++) {
    overload.measured({ loopDelayMs: 0, heap: memory, resident: memory, queueMs });
  }
  return overload;
}

test.each([0, 5_000])("a server whose proxies wait for %i ms refuses no stream", (queueMs) => {
  expect(new LoadLimit(strained(queueMs)).refusal()).toBeUndefined();
});

test("an overloaded server refuses new streams, gives the reason, and spreads the retries", () => {
  const overload = strained(21_000);
  const limit = new LoadLimit(overload);
  expect(limit.refusal()).toEqual({
    type: "refused",
    status: GrpcStatus.UNAVAILABLE,
    message:
      "the server is overloaded: a proxy has waited for its push for 21 s; try again in 5000 ms, or another replica",
    retryAfterMs: 5_000,
  });
  const times = Array.from({ length: 200 }, () => limit.refusal()?.retryAfterMs ?? 0);
  expect(new Set(times).size).toBe(100);
  expect(Math.max(...times)).toBe(14_900);
  expect(overload.shedCounts.get("streams")).toBe(201);
});
