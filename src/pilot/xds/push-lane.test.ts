import { expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { PushRequest } from "../model/push-request.ts";
import { PushLane } from "./push-lane.ts";

const request = (name: string): PushRequest => ({
  changed: new Set([configId("VirtualService", "shop", name)]),
  forced: false,
  reasons: new Map([["config", 1]]),
  startedAt: 0,
});

/** A lane whose pushes fail while a test says so. */
function rig() {
  const clock = new FakeClock();
  const tries: { readonly at: number; readonly names: readonly string[] }[] = [];
  const errors: string[] = [];
  const world = { fail: false };
  const lane = new PushLane({
    clock,
    quietMs: 10,
    maxWaitMs: 100,
    push: ({ changed }) => {
      tries.push({ at: clock.now(), names: Array.from(changed, (id) => id.split("/")[2] ?? "") });
      return world.fail ? Promise.reject(new Error("planted")) : Promise.resolve();
    },
    onError: ({ message }) => errors.push(message),
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await lane.idle();
  };
  return { clock, lane, tries, errors, world, pass };
}

test("a push that failed is tried again by itself, later and later, until it succeeds", async () => {
  const { lane, tries, errors, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  await pass(10);
  for (let waited = 0; waited < 800; waited += 10) await pass(10);
  expect(tries.map(({ at }) => at)).toEqual([10, 110, 310, 710]);
  expect(errors).toEqual(["planted", "planted", "planted", "planted"]);
  world.fail = false;
  for (let waited = 0; waited < 810; waited += 10) await pass(10);
  expect(tries.map(({ names }) => names)).toEqual([["a"], ["a"], ["a"], ["a"], ["a"]]);
  await pass(60_000);
  expect(tries).toHaveLength(5);
});

test("the longest wait between two tries has a limit", async () => {
  const { lane, tries, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  await pass(10);
  for (let waited = 0; waited < 60_000; waited += 100) await pass(100);
  const [before, last] = tries.slice(-2).map(({ at }) => at);
  expect((last ?? 0) - (before ?? 0)).toBe(10_000);
});

test("what comes while a push waits for its next try goes with it at once, and is tried no second time", async () => {
  const { lane, tries, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  await pass(10);
  world.fail = false;
  lane.add(request("b"));
  await pass(10);
  await pass(60_000);
  expect(tries.map(({ names }) => names)).toEqual([["a"], ["a", "b"]]);
});

test("it has caught up when what was added has been pushed, and not when that was tried", async () => {
  const { lane, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  let caughtUp = false;
  const done = (async () => {
    await lane.caughtUp();
    caughtUp = true;
  })();
  await pass(10);
  expect(caughtUp).toBe(false);
  world.fail = false;
  await pass(100);
  await done;
  expect(caughtUp).toBe(true);
  await lane.caughtUp();
});

test("nothing is tried again after it was cancelled", async () => {
  const { lane, clock, tries, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  await pass(10);
  lane.cancel();
  await pass(60_000);
  expect(tries).toHaveLength(1);
  expect(clock.pending).toBe(0);
});
