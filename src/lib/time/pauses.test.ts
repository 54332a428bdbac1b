import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { Pauses } from "./pauses.ts";

/** Pauses of a second each, and how many of them are over. */
function pausing(count: number) {
  const clock = new FakeClock();
  const end = new AbortController();
  const pauses = new Pauses(clock, end.signal);
  let over = 0;
  const all = Promise.all(Array.from({ length: count }, () => pauses.wait(1000).then(() => (over += 1))));
  return { clock, end, pauses, all, over: () => over };
}

test("pauses last as long as they are told to, and no timer is left", async () => {
  const { clock, all, over } = pausing(2);
  clock.advance(999);
  await Promise.resolve();
  expect(over()).toBe(0);
  clock.advance(1);
  await all;
  expect([over(), clock.pending]).toEqual([2, 0]);
});

test.each(["somebody says so", "the signal aborts"])("all of them end when %s", async (why) => {
  const { clock, end, pauses, all, over } = pausing(2);
  if (why === "the signal aborts") end.abort();
  else pauses.end();
  await all;
  expect([over(), clock.pending]).toEqual([2, 0]);
});

test("there is none after the signal has aborted", async () => {
  const { clock, end, pauses } = pausing(0);
  end.abort();
  await pauses.wait(1000);
  expect(clock.pending).toBe(0);
});
