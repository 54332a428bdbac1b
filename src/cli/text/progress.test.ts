import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { Progress } from "./progress.ts";

test("work of less than a second shows nothing", () => {
  const [clock, shown] = [new FakeClock(), new Array<string>()];
  const progress = new Progress({ showStatus: (text) => shown.push(text), clock }, () => "reading");
  clock.advance(999);
  progress.tick();
  progress[Symbol.dispose]();
  expect({ shown, pending: clock.pending }).toEqual({ shown: [], pending: 0 });
});

test("longer work shows its progress every second, and the line is cleared at the end", () => {
  const [clock, shown] = [new FakeClock(), new Array<string>()];
  let files = 1;
  const progress = new Progress({ showStatus: (text) => shown.push(text), clock }, () => `reading ${files}`);
  clock.advance(1_000);
  files = 2;
  clock.advance(1_500);
  progress[Symbol.dispose]();
  clock.advance(5_000);
  expect(shown).toEqual(["reading 1 … 1 s", "reading 2 … 2 s", ""]);
});

test("steps that block the thread show progress too", () => {
  const shown: string[] = [];
  let now = 0;
  const clock = { now: () => now, after: () => () => {} };
  const progress = new Progress({ showStatus: (text) => shown.push(text), clock }, () => "analyzing");
  for (now = 0; now <= 2_000; now += 400) progress.tick();
  expect(shown).toEqual(["analyzing … 1 s"]);
});

test("without a terminal, nothing is shown and no timer is set", () => {
  const clock = new FakeClock();
  const progress = new Progress({ clock }, () => "reading");
  expect(clock.pending).toBe(0);
  clock.advance(10_000);
  progress.tick();
  progress[Symbol.dispose]();
});
