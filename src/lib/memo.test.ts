import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { assert } from "./assert.ts";
import { Memo, oncePer } from "./memo.ts";

const service = { name: "reviews" };
const policy = { name: "mtls" };

describe("a memo", () => {
  test("builds once for the same objects and text", () => {
    const memo = new Memo<object>();
    const first = memo.get([service, policy], "9080", () => ({}));
    const again = memo.get([service, policy], "9080", () => ({}));
    expect(again).toBe(first);
  });

  test.each([
    ["another text", [service, policy], "9443"],
    ["other objects of the same content", [{ ...service }, policy], "9080"],
    ["the same objects in another order", [policy, service], "9080"],
    ["fewer objects", [service], "9080"],
    ["more objects", [service, policy, service], "9080"],
  ])("builds anew for %s", (_, objects, id) => {
    const memo = new Memo<object>();
    const first = memo.get([service, policy], "9080", () => ({}));
    expect(memo.get(objects, id, () => ({}))).not.toBe(first);
  });

  test("remembers undefined like any other value", () => {
    const memo = new Memo<undefined>();
    let builds = 0;
    const build = () => {
      builds++;
      return undefined;
    };
    memo.get([service], "", build);
    memo.get([service], "", build);
    expect(builds).toBe(1);
  });

  test("remembers nothing of a build that threw", () => {
    const memo = new Memo<unknown>();
    expect(() => memo.get([service], "", () => assert(false, "not yet"))).toThrow("not yet");
    expect(memo.get([service], "", () => 1)).toBe(1);
  });

  test("needs an object to hold on to", () => {
    expect(() => new Memo().get([], "", () => 1)).toThrow("kept for ever");
  });

  test("lets go of a value once one of its objects is gone, even if the value refers to it", async () => {
    const memo = new Memo<object>();
    const value = rememberForShort(memo);
    await collectGarbage();
    expect(value.deref()).toBeUndefined();
  });
});

function rememberForShort(memo: Memo<object>): WeakRef<object> {
  const shortLived = {};
  return new WeakRef(memo.get([service, shortLived], "", () => ({ shortLived })));
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  // A WeakRef that was read stays alive until the current job ends.
  await setImmediate();
  if (typeof gc === "function") gc();
}

describe("a function that is run once per object", () => {
  test("runs again for other objects of the same content only", () => {
    let runs = 0;
    const nameOf = oncePer(({ name }: { readonly name: string }) => `${name} ${++runs}`);
    expect([service, service, { ...service }].map((each) => nameOf(each))).toEqual([
      "reviews 1",
      "reviews 1",
      "reviews 2",
    ]);
  });

  test("hands a context through, and remembers nothing when it throws", () => {
    let fails = true;
    const priced = oncePer(({ name }: { readonly name: string }, price: number) => {
      if (fails) throw new Error("sold out");
      return `${name} for ${price}`;
    });
    expect(() => priced(service, 1)).toThrow("sold out");
    fails = false;
    expect([priced(service, 2), priced(service, 3)]).toEqual(["reviews for 2", "reviews for 2"]);
  });
});
