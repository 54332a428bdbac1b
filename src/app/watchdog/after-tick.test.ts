import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { afterTick, type Watched } from "./after-tick.ts";

const tickMs = 500;

/** The silence after these ticks: pairs of a heartbeat and the time since the tick before. */
function silenceAfter(ticks: readonly (readonly [beat: number, elapsedMs: number])[]): number {
  const start: Watched = { beat: 0, silentMs: 0 };
  return ticks.reduce((watched, [beat, elapsedMs]) => afterTick(watched, beat, elapsedMs, tickMs), start).silentMs;
}

test("a main thread that sends heartbeats is never silent", () => {
  expect(silenceAfter(Array.from({ length: 100 }, (_, index) => [index + 1, tickMs] as const))).toBe(0);
});

test("a main thread that sends no heartbeat is silent for as long as the watchdog ran", () => {
  expect(silenceAfter(Array.from({ length: 10 }, () => [0, tickMs] as const))).toBe(5_000);
});

test("one heartbeat ends the silence", () => {
  const silent = Array.from({ length: 9 }, () => [0, tickMs] as const);
  expect(silenceAfter([...silent, [1, tickMs]])).toBe(0);
  expect(silenceAfter([...silent, [1, tickMs], [1, tickMs]])).toBe(tickMs);
});

test("an hour in which the whole process stood still counts as one late tick", () => {
  expect(silenceAfter([[0, 3_600_000]])).toBe(2 * tickMs);
});

test("the function needs nothing but its arguments, because a thread gets its text", () => {
  const alone: unknown = runInNewContext(`(${String(afterTick)})({ beat: 1, silentMs: 100 }, 1, 200, 500)`);
  expect(alone).toEqual({ beat: 1, silentMs: 300 });
});
