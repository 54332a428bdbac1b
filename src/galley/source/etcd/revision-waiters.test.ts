import { expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { RevisionWaiters } from "./revision-waiters.ts";

function rig() {
  const clock = new FakeClock();
  let asked = 0;
  const waiters = new RevisionWaiters({ clock, ask: () => void (asked += 1) });
  return { clock, waiters, asked: () => asked };
}

test("a waiter resolves when its revision, or a later one, has been reported", async () => {
  const { waiters } = rig();
  const [early, late] = [waiters.reach(3), waiters.reach(5)];
  waiters.passed(4);
  await expect(early).resolves.toBe(true);
  waiters.passed(7);
  await expect(late).resolves.toBe(true);
  await expect(waiters.reach(6)).resolves.toBe(true);
});

test("progress is requested repeatedly while there are waiters, and not longer", () => {
  const { clock, waiters, asked } = rig();
  void waiters.reach(3);
  void waiters.reach(4);
  clock.advance(100);
  expect(asked()).toBe(3);
  waiters.passed(4);
  clock.advance(1_000);
  expect(asked()).toBe(3);
});

test("waiters resolve to false when following ends", async () => {
  const { clock, waiters, asked } = rig();
  const reached = waiters.reach(3);
  waiters.giveUp();
  await expect(reached).resolves.toBe(false);
  clock.advance(1_000);
  expect(asked()).toBe(1);
});
