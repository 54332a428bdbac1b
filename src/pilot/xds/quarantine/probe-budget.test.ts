import { expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { ProbeBudget } from "./probe-budget.ts";

test("120 probes leave at once, and then two in a second", async () => {
  const clock = new FakeClock();
  const budget = new ProbeBudget(clock);
  let left = 0;
  const leave = async () => {
    await budget.take();
    left += 1;
  };
  const all = Array.from({ length: 125 }, leave);
  await Promise.all(all.slice(0, 120));
  expect(left).toBe(120);
  for (const expected of [121, 122, 123]) {
    clock.advance(500);
    await all[expected - 1];
    expect(left).toBe(expected);
  }
  clock.advance(1_000);
  await Promise.all(all);
  // A pause fills the budget again, never above its limit.
  clock.advance(600_000);
  await Promise.all(Array.from({ length: 120 }, leave));
  expect(left).toBe(245);
  const late = leave();
  clock.advance(499);
  await Promise.resolve();
  expect(left).toBe(245);
  clock.advance(1);
  await late;
});
