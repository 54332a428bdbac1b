import { expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { turns } from "../../testing/until.ts";
import type { PushRequest } from "../model/push-request.ts";
import { PushLane } from "./push-lane.ts";

const request = (name: string): PushRequest => ({
  changed: new Set([configId("VirtualService", "shop", name)]),
  forced: false,
  reasons: new Map([["config", 1]]),
  startedAt: 0,
});

/** Whether it resolves without more time: a lane that does not catch up fails a test, and does not hang it. */
function isSettled(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), turns(2).then(() => false)]);
}

/** A lane whose pushes fail or block while the test sets this. */
function rig() {
  const clock = new FakeClock();
  const tries: { readonly at: number; readonly names: readonly string[] }[] = [];
  const errors: string[] = [];
  const world: { fail: boolean; held: PromiseWithResolvers<void> | undefined } = { fail: false, held: undefined };
  const lane = new PushLane({
    clock,
    quietMs: 10,
    maxWaitMs: 100,
    push: ({ changed }) => {
      tries.push({ at: clock.now(), names: Array.from(changed, (id) => id.split("/")[2] ?? "") });
      if (world.held !== undefined) return world.held.promise;
      return world.fail ? Promise.reject(new Error("planted")) : Promise.resolve();
    },
    onError: ({ message }) => errors.push(message),
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turns(1);
  };
  return { clock, lane, tries, errors, world, pass };
}

test("a failed push is retried automatically, with growing delays, until it succeeds", async () => {
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

test("the delay between two retries has a limit", async () => {
  const { lane, tries, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  await pass(10);
  for (let waited = 0; waited < 60_000; waited += 100) await pass(100);
  const [before, last] = tries.slice(-2).map(({ at }) => at);
  expect((last ?? 0) - (before ?? 0)).toBe(10_000);
});

test("a request during the retry delay starts the push at once, and is not pushed twice", async () => {
  const { clock, lane, tries, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  await pass(10);
  world.fail = false;
  lane.add(request("b"));
  await pass(10);
  expect(clock.pending).toBe(0);
  await pass(60_000);
  expect(tries.map(({ names }) => names)).toEqual([["a"], ["a", "b"]]);
});

test("a request during a push that fails joins the next retry", async () => {
  const { lane, tries, world, pass } = rig();
  world.held = Promise.withResolvers();
  lane.add(request("a"));
  await pass(10);
  lane.add(request("b"));
  world.held.reject(new Error("planted"));
  world.held = undefined;
  await pass(100);
  expect(tries.map(({ names }) => names)).toEqual([["a"], ["a", "b"]]);
});

test("the first retry delay is the same again after a success", async () => {
  const { lane, tries, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  for (const ms of [10, 100]) await pass(ms);
  world.fail = false;
  await pass(200);
  world.fail = true;
  lane.add(request("b"));
  for (const ms of [10, 99, 1]) await pass(ms);
  expect(tries.map(({ at }) => at)).toEqual([10, 110, 310, 320, 420]);
});

test("a lane has caught up when all requests are pushed, not when a push was tried", async () => {
  const { lane, world, pass } = rig();
  expect(await isSettled(lane.caughtUp())).toBe(true);
  world.fail = true;
  lane.add(request("a"));
  const caughtUp = [lane.caughtUp(), lane.caughtUp()] as const;
  await pass(10);
  expect(await isSettled(caughtUp[0])).toBe(false);
  world.fail = false;
  await pass(100);
  for (const each of [...caughtUp, lane.caughtUp()]) expect(await isSettled(each)).toBe(true);
});

test("a lane has not caught up during a push, nor with new requests", async () => {
  const { lane, tries, world, pass } = rig();
  world.held = Promise.withResolvers();
  lane.add(request("a"));
  await pass(10);
  const caughtUp = lane.caughtUp();
  expect(await isSettled(caughtUp)).toBe(false);
  lane.add(request("b"));
  world.held.resolve();
  world.held = undefined;
  expect(await isSettled(caughtUp)).toBe(false);
  await pass(10);
  expect(await isSettled(caughtUp)).toBe(true);
  expect(tries.map(({ names }) => names)).toEqual([["a"], ["b"]]);
  lane.add(request("c"));
  expect(await isSettled(lane.caughtUp())).toBe(false);
});

test("a lane is idle when no push is due or running, also during a retry delay", async () => {
  const { clock, lane, world } = rig();
  expect(await isSettled(lane.idle())).toBe(true);
  world.fail = true;
  lane.add(request("a"));
  expect(await isSettled(lane.idle())).toBe(false);
  clock.advance(10);
  expect(await isSettled(lane.idle())).toBe(true);
});

test("cancelling drops pending requests", async () => {
  const { lane, clock, tries, pass } = rig();
  lane.add(request("a"));
  expect([...(lane.pending?.changed ?? [])]).toEqual(["VirtualService/shop/a"]);
  lane.cancel();
  expect(clock.pending).toBe(0);
  await pass(60_000);
  expect(tries).toEqual([]);
});

test("cancelling stops retries", async () => {
  const { lane, clock, tries, world, pass } = rig();
  world.fail = true;
  lane.add(request("a"));
  await pass(10);
  lane.cancel();
  await pass(60_000);
  expect(tries).toHaveLength(1);
  lane.add(request("b"));
  lane.cancel();
  await pass(60_000);
  expect(tries).toHaveLength(1);
  expect(clock.pending).toBe(0);
});
