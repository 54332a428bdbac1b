import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { soon } from "../../testing/until.ts";
import { Pauses } from "./pauses.ts";

/** Pauses of one second each, and a count of the finished ones. */
function pausing(count: number) {
  const clock = new FakeClock();
  const end = new AbortController();
  const pauses = new Pauses(clock, end.signal);
  let over = 0;
  const all = Promise.all(Array.from({ length: count }, () => pauses.wait(1000).then(() => (over += 1))));
  return { clock, end, pauses, all, over: () => over };
}

test("pauses last for their given time, and leave no timer", async () => {
  const { clock, all, over } = pausing(2);
  clock.advance(999);
  await Promise.resolve();
  expect(over()).toBe(0);
  clock.advance(1);
  await soon(all);
  expect([over(), clock.pending]).toEqual([2, 0]);
});

test.each(["a caller ends them", "the signal aborts"])("all of them end when %s", async (why) => {
  const { clock, end, pauses, all, over } = pausing(2);
  if (why === "the signal aborts") end.abort();
  else pauses.end();
  await soon(all);
  expect([over(), clock.pending]).toEqual([2, 0]);
});

test("nothing listens to the signal after a pause is over", async () => {
  const { clock, end, all } = pausing(2);
  expect(getEventListeners(end.signal, "abort")).toHaveLength(2);
  clock.advance(1_000);
  await soon(all);
  expect(getEventListeners(end.signal, "abort")).toEqual([]);
});

test("no pause starts after the signal has aborted", async () => {
  const { clock, end, pauses } = pausing(0);
  end.abort();
  await soon(pauses.wait(1000));
  expect(clock.pending).toBe(0);
});

test("zero time is no pause, and one millisecond is a pause", async () => {
  const { clock, pauses } = pausing(0);
  await soon(pauses.wait(0));
  const pause = pauses.wait(1);
  expect(clock.pending).toBe(1);
  clock.advance(1);
  await soon(pause);
});
