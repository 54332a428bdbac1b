import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { Redial } from "./redial.ts";

function rig(chance = 0.5) {
  const clock = new FakeClock();
  const dialled: number[] = [];
  const redial = new Redial({ clock, random: () => chance, dial: () => void dialled.push(clock.now()) });
  return { clock, dialled, redial };
}

/** The pauses of a series of failing attempts. */
function pauses(count: number, chance: number): readonly number[] {
  const { clock, dialled, redial } = rig(chance);
  const found: number[] = [];
  for (let attempt = 0; attempt < count; attempt++) {
    const before = clock.now();
    redial.later();
    while (dialled.length === attempt && clock.now() - before < 60_000) clock.advance(1);
    found.push(clock.now() - before);
  }
  return found;
}

test("pauses begin at half a second, grow by 1.6 and end at half a minute", () => {
  expect(pauses(11, 0.5)).toEqual([500, 800, 1280, 2048, 3277, 5243, 8389, 13422, 21475, 30000, 30000]);
});

test("jitter makes a pause up to a fifth longer or shorter", () => {
  expect([pauses(1, 0), pauses(1, 1)]).toEqual([[400], [600]]);
});

test("after a success the next pause is the first one again", () => {
  const { clock, dialled, redial } = rig();
  redial.later();
  clock.advance(500);
  redial.worked();
  redial.later();
  clock.advance(500);
  expect(dialled).toEqual([500, 1000]);
});

test("a pause can be cut short, and cancelled", () => {
  const { clock, dialled, redial } = rig();
  redial.hurry();
  expect(dialled).toEqual([]);
  redial.later();
  redial.hurry();
  expect(dialled).toEqual([0]);
  redial.later();
  redial.stop();
  clock.advance(60_000);
  expect([dialled, clock.pending]).toEqual([[0], 0]);
});

test("two calls of later dial once", () => {
  const { clock, dialled, redial } = rig();
  redial.later();
  redial.later();
  expect(clock.pending).toBe(1);
  clock.advance(10_000);
  expect(dialled).toHaveLength(1);
});
