import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Supervisor } from "../../lib/supervisor.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { repeatedWatch } from "./repeated-watch.ts";

/** A watch whose end the test decides. */
function rig() {
  const clock = new FakeClock();
  const watches: { readonly changed: () => void; readonly end: PromiseWithResolvers<void>; readonly at: number }[] = [];
  const heard: string[] = [];
  const running = repeatedWatch({
    clock: new Supervisor({ clock, onFailure: (_part, error) => heard.push(String(error)) }).clockFor("test"),
    watch(changed, signal) {
      const end = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => end.resolve());
      watches.push({ changed, end, at: clock.now() });
      return end.promise;
    },
    onChange: () => heard.push("change"),
    onError: (error) => heard.push(String(error)),
  });
  const stop = () => running.stop();
  onTestFinished(stop);
  /** Ends the last watch with an error, and returns the time until the next one. */
  const pauseAfterFailure = async () => {
    const { length } = watches;
    const before = clock.now();
    watches.at(-1)?.end.reject(new Error("gone"));
    for (let passed = 0; passed < 60_000 && watches.length === length; passed += 10) {
      await nextTurn();
      clock.advance(10);
    }
    return (watches.at(-1)?.at ?? 0) - before;
  };
  return { clock, watches, heard, stop, pauseAfterFailure };
}

test("a watch that fails again and again is repeated after longer and longer pauses, at most 30 s", async () => {
  const { pauseAfterFailure, heard } = rig();
  const pauses: number[] = [];
  for (let count = 0; count < 10; count++) pauses.push(await pauseAfterFailure());
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(new Set(heard)).toEqual(new Set(["Error: gone"]));
});

test("a watch that reported a change begins with the first pause again", async () => {
  const { pauseAfterFailure, watches } = rig();
  const first = await pauseAfterFailure();
  for (let count = 0; count < 5; count++) await pauseAfterFailure();
  watches.at(-1)?.changed();
  expect(await pauseAfterFailure()).toBe(first);
});

test("a stopped watch reports nothing and is not repeated", async () => {
  const { clock, watches, heard, stop } = rig();
  const [only] = watches;
  stop();
  only?.changed();
  await nextTurn();
  clock.advance(60_000);
  await nextTurn();
  expect([watches.length, heard]).toEqual([1, []]);
});
