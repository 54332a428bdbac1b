import { expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { Milestones } from "./milestones.ts";

function rig() {
  const clock = new FakeClock();
  let asked = 0;
  const milestones = new Milestones({ clock, ask: () => void (asked += 1) });
  return { clock, milestones, asked: () => asked };
}

test("a waiter resolves when its revision, or a later one, has been reported", async () => {
  const { milestones } = rig();
  const [early, late] = [milestones.reach(3), milestones.reach(5)];
  milestones.passed(4);
  await expect(early).resolves.toBe(true);
  milestones.passed(7);
  await expect(late).resolves.toBe(true);
  await expect(milestones.reach(6)).resolves.toBe(true);
});

test("progress is requested repeatedly while there are waiters, and not longer", () => {
  const { clock, milestones, asked } = rig();
  void milestones.reach(3);
  void milestones.reach(4);
  clock.advance(100);
  expect(asked()).toBe(3);
  milestones.passed(4);
  clock.advance(1_000);
  expect(asked()).toBe(3);
});

test("waiters resolve to false when following ends", async () => {
  const { clock, milestones, asked } = rig();
  const reached = milestones.reach(3);
  milestones.giveUp();
  await expect(reached).resolves.toBe(false);
  clock.advance(1_000);
  expect(asked()).toBe(1);
});
