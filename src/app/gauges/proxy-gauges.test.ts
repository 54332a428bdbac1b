import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { Waits } from "./proxy-gauges.ts";

const owing = (first?: number) => ({
  owedPushes: first === undefined ? [] : [{ first, last: first + 5 }],
  subscriptions: [],
});

test("a proxy that owes the same push at each scrape is behind since the first of these scrapes", () => {
  const clock = new FakeClock();
  const waits = new Waits(clock);
  const stuck = owing(3);
  expect(waits.longestMs([stuck, owing()])).toBe(0);
  clock.advance(15_000);
  expect(waits.longestMs([stuck, owing(8)])).toBe(15_000);
  clock.advance(15_000);
  expect(waits.longestMs([owing(), stuck])).toBe(30_000);
});

test("a proxy that answers each push in time is never behind for long", () => {
  const clock = new FakeClock();
  const waits = new Waits(clock);
  const proxy = { ...owing(1) };
  for (const first of [1, 2, 3, 4]) {
    Object.assign(proxy, owing(first));
    expect(waits.longestMs([proxy])).toBe(0);
    clock.advance(15_000);
  }
  Object.assign(proxy, owing());
  expect(waits.longestMs([proxy])).toBe(0);
});
