import { expect, test } from "vitest";
import { Overload } from "../../lib/overload/overload.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { turns } from "../../testing/until.ts";
import { pacedTurn } from "./paced-turn.ts";

test.each([
  [79, 0],
  [80, 100],
  [90, 1_000],
  [95, 1_000],
])("with %i %% of the memory in use, analysis pauses for %i ms after each step", async (usedBytes, pauseMs) => {
  const clock = new FakeClock();
  const overload = new Overload();
  const heap = { usedBytes, limitBytes: 100 };
  overload.measured({ loopDelayMs: 0, heap, resident: { usedBytes: 0, limitBytes: 1 }, queueMs: 0 });
  const ended: number[] = [];
  void pacedTurn(() => Promise.resolve(), clock, overload)().then(() => ended.push(clock.now()));
  for (let passed = 0; passed < 1_100; passed += 50) {
    await turns(1);
    clock.advance(50);
  }
  expect(ended).toEqual([pauseMs]);
  expect(overload.shedCounts.get("status")).toBe(pauseMs > 0 ? 1 : 0);
});
