import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { rotationTimes } from "../../ca/rotation.ts";
import { MeshError } from "../../lib/errors.ts";
import { Sealed } from "../../lib/sealed.ts";
import { MemoryRootStore } from "../../testing/ca/memory-root-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RootKeeper } from "./root-keeper.ts";

const times = rotationTimes(10_000);

/** Replicas with one clock and one store. Each makes authorities that are named after it. */
function replicas(...names: readonly string[]) {
  const clock = new FakeClock();
  const store = new MemoryRootStore();
  const errors: string[] = [];
  const story: string[] = [];
  const keepers = names.map((name) => {
    let count = 0;
    return new RootKeeper({
      store,
      clock,
      timeOfDay: () => clock.now(),
      times,
      async create() {
        count += 1;
        const root = `${name}${count}`;
        return { certificate: root, key: new Sealed(""), chain: [], root };
      },
      onChange: ({ phase, signing }) => story.push(`${name}: ${phase}, ${signing.root} signs`),
      onError: (error) => errors.push(MeshError.from(error).message),
    });
  });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      await settled();
    }
  };
  return { clock, store, errors, story, keepers, pass };
}

function all<T>(keepers: readonly RootKeeper[], of: (keeper: RootKeeper) => T): readonly T[] {
  return keepers.map(of);
}

describe("replicas", () => {
  test("that start at once in an empty store agree on one root", async () => {
    const { keepers, store } = replicas("a", "b", "c");
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    const roots = all(keepers, (keeper) => keeper.current?.signing.root);
    expect(new Set(roots)).toEqual(new Set([store.stored?.roots.signing.root]));
  });

  test("go through a rotation together, and take each step once", async () => {
    const { keepers, story, store, pass } = replicas("a", "b");
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    await keepers[1]?.carryOut("rotate");
    await pass(40_000);
    expect(story.filter((line) => line.startsWith("a"))).toEqual([
      "a: steady, a1 signs",
      "a: distribute, a1 signs",
      "a: sign, b2 signs",
      "a: retire, b2 signs",
      "a: steady, b2 signs",
    ]);
    expect(story.filter((line) => line.startsWith("b"))).toHaveLength(5);
    expect([store.stored?.revision, store.stored?.roots.trusted]).toEqual(["5", ["b2"]]);
  });

  test("stop signing when the store has not been readable for too long, and go on when it is", async () => {
    const { keepers, store, errors, pass } = replicas("a");
    const [keeper] = keepers;
    await keeper?.start();
    store.failure = new MeshError("unavailable", "planted");
    await pass(times.lagMs - 400);
    expect(keeper?.current?.signing.root).toBe("a1");
    await pass(1_000);
    expect([keeper?.current, keeper?.roots?.signing.root]).toEqual([undefined, "a1"]);
    expect(new Set(errors)).toEqual(new Set(["planted"]));
    store.failure = undefined;
    await pass(times.lagMs);
    expect(keeper?.current?.signing.root).toBe("a1");
  });

  test("write roots again that were removed from the store", async () => {
    const { keepers, store, errors, pass } = replicas("a", "b");
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    const kept = store.stored?.roots;
    store.stored = undefined;
    await pass(times.lagMs);
    expect((await store.read())?.roots).toEqual(kept);
    expect(new Set(errors)).toEqual(new Set(["the roots were removed from their store, and are written again"]));
  });
});

describe("a command", () => {
  test("that the phase does not allow is refused", async () => {
    const { keepers } = replicas("a");
    await keepers[0]?.start();
    await expect(keepers[0]?.carryOut("advance")).rejects.toThrow("cannot advance in phase steady");
    await keepers[0]?.carryOut("rotate");
    await expect(keepers[0]?.carryOut("rotate")).rejects.toThrow("cannot rotate in phase distribute");
    await keepers[0]?.carryOut("advance");
    await expect(keepers[0]?.carryOut("cancel")).rejects.toThrow("cannot cancel in phase sign");
  });

  test("does not replace an intermediate certificate by a root of ours", async () => {
    const { keepers, store } = replicas("a");
    const signing = { certificate: "below", key: new Sealed(""), chain: [], root: "of the company" };
    await store.replace(undefined, { phase: "steady", phaseSince: 0, signing, trusted: [signing.root] });
    await keepers[0]?.start();
    await expect(keepers[0]?.carryOut("rotate")).rejects.toThrow("another authority signed ours");
    expect(store.stored?.roots.signing).toBe(signing);
  });

  test("of one of two operators wins", async () => {
    const { keepers, store } = replicas("a", "b");
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    const results = await Promise.allSettled(all(keepers, (keeper) => keeper.carryOut("rotate")));
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(store.stored?.roots.trusted).toHaveLength(2);
  });
});
