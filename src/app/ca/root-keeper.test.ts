import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { beginRotation, rotationTimes, type Validity } from "../../ca/rotation.ts";
import { MeshError } from "../../lib/errors.ts";
import { Sealed } from "../../lib/sealed.ts";
import { MemoryRootStore } from "../../testing/ca/memory-root-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RootKeeper } from "./root-keeper.ts";

const times = rotationTimes(10_000, 5_000);
/** Of every root. */
const young = { notBefore: 0, notAfter: 1e12 };

/** Replicas with one clock and one store. Each makes authorities that are named after it. */
function replicas(names: readonly string[], validity: Validity = young) {
  const clock = new FakeClock();
  const store = new MemoryRootStore();
  const errors: string[] = [];
  const story: string[] = [];
  const rotations: string[] = [];
  /** Called when a replica makes a new authority. */
  const hooks = { created: (): void => undefined };
  const keepers = names.map((name) => {
    let count = 0;
    return new RootKeeper({
      store,
      clock,
      timeOfDay: () => clock.now(),
      times,
      async create() {
        hooks.created();
        count += 1;
        const root = `${name}${count}`;
        return { certificate: root, key: new Sealed(""), chain: [], root };
      },
      validityOf: () => validity,
      onRotation: (cause) => rotations.push(`${name} ${cause}`),
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
  return { clock, store, errors, story, rotations, hooks, keepers, pass };
}

function all<T>(keepers: readonly RootKeeper[], of: (keeper: RootKeeper) => T): readonly T[] {
  return keepers.map(of);
}

describe("replicas", () => {
  test("that start at once in an empty store agree on one root", async () => {
    const { keepers, store } = replicas(["a", "b", "c"]);
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    const roots = all(keepers, (keeper) => keeper.current?.signing.root);
    expect(new Set(roots)).toEqual(new Set([store.stored?.content.signing.root]));
  });

  test("go through a rotation together, and take each step once", async () => {
    const { keepers, story, store, rotations, pass } = replicas(["a", "b"]);
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
    expect([store.stored?.revision, store.stored?.content.trusted]).toEqual(["5", ["b2"]]);
    expect(rotations).toEqual(["b command"]);
  });

  test("stop signing when the store has not been readable for too long, and go on when it is", async () => {
    const { keepers, store, errors, pass } = replicas(["a"]);
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

  test("read the store once more for all requests that come after a pause without a reading", async () => {
    const { keepers, store, pass } = replicas(["a"]);
    const [keeper] = keepers;
    await keeper?.start();
    store.failure = new MeshError("unavailable", "planted");
    await pass(times.lagMs + 1_000);
    expect(await keeper?.rootsFor(5_000)).toBeUndefined();
    store.failure = undefined;
    const before = store.reads;
    const asked = Array.from({ length: 100 }, async () => (await keeper?.rootsFor(5_000))?.signing.root);
    expect(new Set(await Promise.all(asked))).toEqual(new Set(["a1"]));
    expect(store.reads - before).toBe(1);
  });

  test("write roots again that were removed from the store", async () => {
    const { keepers, store, errors, pass } = replicas(["a", "b"]);
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    const kept = store.stored?.content;
    store.stored = undefined;
    await pass(times.lagMs);
    expect((await store.read())?.content).toEqual(kept);
    expect(new Set(errors)).toEqual(new Set(["the roots were removed from their store, and are written again"]));
  });
});

describe("the life of a certificate", () => {
  test("is recorded once for all requests and replicas before the first one is signed", async () => {
    const { keepers, store } = replicas(["a", "b"]);
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    const revision = () => Number(store.stored?.revision);
    const asked = async (ttlMs: number) => await Promise.all(all(keepers, (keeper) => keeper.rootsFor(ttlMs)));
    expect((await asked(5_000)).map((roots) => roots?.longestTtlMs)).toEqual([5_000, 5_000]);
    expect(revision()).toBe(1);
    const many = await Promise.all([6_000, 10_000, 6_000, 5_000].map(asked));
    expect(many.flat().every((roots) => roots !== undefined)).toBe(true);
    expect(store.stored?.content.longestTtlMs).toBe(10_000);
    expect(revision()).toBe(2);
    await asked(10_000);
    expect(revision()).toBe(2);
  });

  test("is written once for a thousand requests, and the store is read for one of them", async () => {
    const { keepers, store } = replicas(["a"]);
    await keepers[0]?.start();
    const before = store.reads;
    const answers = await Promise.all(Array.from({ length: 1_000 }, async () => await keepers[0]?.rootsFor(8_000)));
    expect(answers.filter((roots) => roots?.longestTtlMs !== 10_000)).toEqual([]);
    // The second reading follows the notice of the write.
    expect([store.reads - before, store.stored?.revision]).toEqual([2, "2"]);
  });

  test("is recorded again for a client that asks for even more", async () => {
    const { keepers, store } = replicas(["a"]);
    await keepers[0]?.start();
    const answers = await Promise.all([2_000, 9_000, 12_000].map(async (ttlMs) => await keepers[0]?.rootsFor(ttlMs)));
    expect(answers.every((roots) => roots !== undefined)).toBe(true);
    expect(store.stored?.content.longestTtlMs).toBe(12_000);
  });

  test("that cannot be recorded is not signed, and others are", async () => {
    const { keepers, store } = replicas(["a"]);
    await keepers[0]?.start();
    store.failure = new MeshError("unavailable", "planted");
    await expect(keepers[0]?.rootsFor(6_000)).rejects.toThrow("planted");
    expect((await keepers[0]?.rootsFor(5_000))?.signing.root).toBe("a1");
    store.failure = undefined;
    expect((await keepers[0]?.rootsFor(6_000))?.longestTtlMs).toBe(10_000);
  });
});

describe("an old root", () => {
  /** 80 % of its life is over at 800 s. */
  const old = { notBefore: 0, notAfter: 1_000_000 };

  test("is replaced by one of all replicas, once", async () => {
    const { clock, keepers, rotations, story, pass } = replicas(["a", "b"], old);
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    clock.advance(798_000);
    await pass(1_000);
    expect(rotations).toEqual([]);
    await pass(2_000);
    expect(rotations).toHaveLength(1);
    expect(rotations[0]).toMatch(/ expiry$/u);
    expect(story.filter((line) => line.includes("distribute"))).toHaveLength(2);
  });

  test("that was replaced meanwhile is not replaced again", async () => {
    const { clock, keepers, store, rotations, hooks, pass } = replicas(["a"], old);
    await keepers[0]?.start();
    const signing = { certificate: "below", key: new Sealed(""), chain: [], root: "of the company" };
    hooks.created = () => {
      store.stored = { content: { phase: "steady", phaseSince: 0, signing, trusted: [signing.root] }, revision: "7" };
    };
    clock.advance(798_000);
    await pass(4_000);
    expect([rotations, store.stored?.revision]).toEqual([[], "7"]);
  });

  test("of an operator stays, and so does one below another authority", async () => {
    const { clock, keepers, store, rotations, pass } = replicas(["a"], old);
    const signing = { certificate: "below", key: new Sealed(""), chain: [], root: "of the company" };
    await store.replace(undefined, { phase: "steady", phaseSince: 0, signing, trusted: [signing.root] });
    await keepers[0]?.start();
    clock.advance(900_000);
    await pass(2_000);
    expect([rotations, store.stored?.content.phase]).toEqual([[], "steady"]);
  });
});

describe("a command", () => {
  test("that the phase does not allow is refused", async () => {
    const { keepers } = replicas(["a"]);
    await keepers[0]?.start();
    await expect(keepers[0]?.carryOut("advance")).rejects.toThrow("cannot advance in phase steady");
    await keepers[0]?.carryOut("rotate");
    await expect(keepers[0]?.carryOut("rotate")).rejects.toThrow("cannot rotate in phase distribute");
    await keepers[0]?.carryOut("advance");
    await expect(keepers[0]?.carryOut("cancel")).rejects.toThrow("cannot cancel in phase sign");
  });

  test("does not replace an intermediate certificate by a root of ours", async () => {
    const { keepers, store } = replicas(["a"]);
    const signing = { certificate: "below", key: new Sealed(""), chain: [], root: "of the company" };
    await store.replace(undefined, { phase: "steady", phaseSince: 0, signing, trusted: [signing.root] });
    await keepers[0]?.start();
    await expect(keepers[0]?.carryOut("rotate")).rejects.toThrow("another authority signed ours");
    expect(store.stored?.content.signing).toBe(signing);
  });

  test("does not overwrite the roots of a replica that was faster", async () => {
    const { keepers, store } = replicas(["a"]);
    await keepers[0]?.start();
    const theirs = { certificate: "b1", key: new Sealed(""), chain: [], root: "b1" };
    store.onRead = () => {
      const { content: roots, revision } = store.stored ?? {};
      const next = roots && beginRotation(roots, theirs, 0);
      if (next !== undefined) void store.replace(revision, next);
    };
    await expect(keepers[0]?.carryOut("rotate")).rejects.toThrow("another replica changed the roots: try again");
    expect(store.stored?.content.next?.root).toBe("b1");
  });

  test("is not carried out if the store answers too late", async () => {
    const { clock, keepers, store } = replicas(["a"]);
    await keepers[0]?.start();
    const kept = store.stored;
    store.onRead = () => {
      store.onRead = () => undefined;
      clock.advance(times.lagMs);
    };
    await expect(keepers[0]?.carryOut("rotate")).rejects.toThrow("the store of the roots is too slow");
    expect(store.stored).toBe(kept);
  });

  test("of one of two operators wins", async () => {
    const { keepers, store } = replicas(["a", "b"]);
    await Promise.all(all(keepers, (keeper) => keeper.start()));
    const results = await Promise.allSettled(all(keepers, (keeper) => keeper.carryOut("rotate")));
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(store.stored?.content.trusted).toHaveLength(2);
  });
});
