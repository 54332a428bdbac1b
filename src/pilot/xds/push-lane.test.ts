import { describe, expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { Overload } from "../../lib/overload/overload.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { turns } from "../../testing/until.ts";
import type { PushRequest } from "../model/push-request.ts";
import { PushLane } from "./push-lane.ts";

const request = (name: string, namespace = "shop", kind = "VirtualService"): PushRequest => ({
  changed: new Set([configId(kind, namespace, name)]),
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
  const overload = new Overload();
  const lane = new PushLane({
    clock,
    gate: overload,
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
  return { clock, lane, tries, errors, world, pass, overload };
}

type Rig = ReturnType<typeof rig>;

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

/** Changes an object of a namespace every millisecond. */
async function flood({ lane, pass }: Rig, ms: number, namespace = "noisy") {
  for (let passed = 0; passed < ms; passed++) {
    lane.add(request(`edit${passed % 50}`, namespace));
    await pass(1);
  }
}

describe("a namespace that changes all the time", () => {
  test("gets one push in each longest wait", async () => {
    const world = rig();
    await flood(world, 1_000);
    expect(world.tries).toHaveLength(10);
  });

  test("does not delay another namespace: its change leaves with the next push, after its own quiet time", async () => {
    const world = rig();
    const { lane, tries, clock } = world;
    await flood(world, 30);
    lane.add(request("own", "calm"));
    const at = clock.now();
    await flood(world, 30);
    const push = tries.find(({ names }) => names.includes("own"));
    expect(push?.at).toBe(at + 10);
    expect(tries.filter((each) => each.at >= at && each.at < at + 10)).toEqual([]);
  });

  test("delays a namespace with many changes of its own no more than the longest wait", async () => {
    const world = rig();
    const { lane, tries, clock } = world;
    for (let edit = 0; edit < 20; edit++) lane.add(request(`own${edit}`, "also-noisy"));
    const at = clock.now();
    await flood(world, 200);
    expect(tries.find(({ names }) => names.includes("own0"))?.at).toBe(at + 100);
  });

  test("counts anew after each push, also for a change of many objects at once", async () => {
    const { lane, tries, pass } = rig();
    const objects = Array.from({ length: 17 }, (_, index) => configId("VirtualService", "noisy", `edit${index}`));
    const batch = { ...request("edit", "noisy"), changed: new Set(objects) };
    lane.add(request("own", "calm"));
    await pass(5);
    lane.add(batch);
    await pass(5);
    expect(tries.map(({ at }) => at)).toEqual([10]);
    lane.add(batch);
    await pass(5);
    lane.add(batch);
    await pass(10);
    expect(tries.map(({ at }) => at)).toEqual([10, 25]);
  });
});

/** Raises the level of load. */
function strain({ overload }: Rig, share: number): void {
  const heap = { usedBytes: share * 100, limitBytes: 100 };
  const resident = { usedBytes: 0, limitBytes: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < 2; sample++) overload.measured({ loopDelayMs: 0, heap, resident, queueMs: 0 });
}

describe("under load", () => {
  test.each([
    ["elevated", 0.8, 10],
    ["high", 0.9, 100],
    ["critical", 0.95, 300],
  ])("of level %s, configuration waits longer, and more of it leaves with one push", async (_, share, waitedMs) => {
    const world = rig();
    strain(world, share);
    world.lane.add(request("a"));
    await world.pass(waitedMs - 1);
    expect(world.tries).toEqual([]);
    await world.pass(1);
    expect(world.tries).toHaveLength(1);
    expect(world.overload.shedCounts.get("configuration")).toBe(waitedMs > 10 ? 1 : 0);
  });

  test.each(["AuthorizationPolicy", "PeerAuthentication", "RequestAuthentication", "Secret", "Endpoints"])(
    "a change of %s leaves as soon as without load, with all that waits",
    async (kind) => {
      const world = rig();
      strain(world, 0.96);
      world.lane.add(request("a"));
      await world.pass(1);
      world.lane.add(request("b", "shop", kind));
      await world.pass(10);
      expect(world.tries).toEqual([{ at: 11, names: ["a", "b"] }]);
    },
  );

  test("configuration that changes all the time is pushed after 3 s at most, for a longest wait of 100 ms", async () => {
    const world = rig();
    strain(world, 0.96);
    for (let passed = 0; passed < 3_100; passed += 10) {
      world.lane.add(request("a"));
      await world.pass(10);
    }
    expect(world.tries.map(({ at }) => at)).toEqual([3_000]);
  });
});
