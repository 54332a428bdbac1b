import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { assert } from "./assert.ts";
import { memoize, oncePer } from "./memo.ts";

const service = { name: "reviews" };
const policy = { name: "mtls" };

/** A builder whose results are numbered. */
function counting() {
  let builds = 0;
  return memoize((held: readonly (object | undefined)[], { port }: { readonly port: number }) => ({
    number: ++builds,
    of: [held, port],
  }));
}

describe("a memoized builder", () => {
  test("builds once for the same objects and equal facts", () => {
    const built = counting();
    expect(built([service, policy], { port: 9080 })).toBe(built([service, policy], { port: 9080 }));
  });

  test.each([
    ["other facts", [service, policy], 9443],
    ["other objects of the same content", [{ ...service }, policy], 9080],
    ["the same objects in another order", [policy, service], 9080],
    ["fewer objects", [service], 9080],
    ["more objects", [service, policy, service], 9080],
    ["an object that is absent", [service, undefined], 9080],
    ["an absent object more", [service, policy, undefined], 9080],
  ])("builds again for %s", (_, held, port) => {
    const built = counting();
    const first = built([service, policy], { port: 9080 });
    expect(built(held, { port })).not.toBe(first);
  });

  test("gets exactly the objects and the facts of its key", () => {
    const built = memoize((held: readonly [typeof service], facts: { readonly port: number }) => ({ held, facts }));
    expect(built([service], { port: 1 })).toEqual({ held: [service], facts: { port: 1 } });
  });

  test("needs no facts", () => {
    const built = memoize(([only]: readonly [typeof service]) => ({ only }));
    expect(built([service])).toBe(built([service]));
    expect(built([service]).only).toBe(service);
  });

  test("caches undefined like any other value", () => {
    let builds = 0;
    const built = memoize(([object]: readonly [object]) => {
      builds += Object.keys(object).length;
      return undefined;
    });
    built([service]);
    built([service]);
    expect(builds).toBe(1);
  });

  test("caches nothing when it throws", () => {
    let ready = false;
    const built = memoize(([{ name }]: readonly [typeof service]) => {
      assert(ready, "not yet");
      return name.length;
    });
    expect(() => built([service])).toThrow("not yet");
    ready = true;
    expect(built([service])).toBe(7);
  });

  test("needs at least one object in its key", () => {
    expect(() => counting()([], { port: 1 })).toThrow("kept for ever");
  });

  test("frees a value once one of its objects is gone, even if the value refers to it", async () => {
    const value = rememberForShort();
    await collectGarbage();
    expect(value.deref()).toBeUndefined();
  });
});

const keeping = memoize(([, shortLived]: readonly [object, object]) => ({ shortLived }));

function rememberForShort(): WeakRef<object> {
  return new WeakRef(keeping([service, {}]));
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  // A WeakRef that was read stays alive until the current job ends.
  await setImmediate();
  if (typeof gc === "function") gc();
}

describe("a function that is run once per object", () => {
  test("runs again only for a different object, even with the same content", () => {
    let runs = 0;
    const nameOf = oncePer(({ name }: { readonly name: string }) => `${name} ${++runs}`);
    expect([service, service, { ...service }].map((each) => nameOf(each))).toEqual([
      "reviews 1",
      "reviews 1",
      "reviews 2",
    ]);
  });

  test("caches nothing when it throws", () => {
    let fails = true;
    const priced = oncePer(({ name }: { readonly name: string }) => {
      if (fails) throw new Error("sold out");
      return `${name} for 2`;
    });
    expect(() => priced(service)).toThrow("sold out");
    fails = false;
    expect(priced(service)).toBe("reviews for 2");
  });
});
