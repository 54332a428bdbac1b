import { describe, expect, test } from "vitest";
import { assert } from "../../lib/assert.ts";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import type { ResourceType } from "../resource-type.ts";
import type { Target } from "../resources/target.ts";
import { clusterType, endpointType } from "../type-urls.ts";
import type { Answer } from "./answer.ts";
import { Subscription } from "./subscription.ts";

const options = { mayRemove: () => true };

/** A client accepts all of the first target. Returns its answer for the second target. */
function answerAfter(mode: "sotw" | "delta", before: Target, after: Target): Answer | undefined {
  const subscription = new Subscription(toyGenerator(clusterType), mode);
  subscription.subscribeTo({ wildcard: true });
  const first = subscription.due(before, options);
  assert(first !== undefined, "the first answer is always one");
  subscription.recordSent("1", first, 0);
  subscription.ack("1");
  return subscription.due(after, options);
}

const [a, b, both] = [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }].map((contents) => setOf(clusterType, contents));
assert(a !== undefined && b !== undefined && both !== undefined, "three sets");

describe.each(["sotw", "delta"] as const)("a %s client", (mode) => {
  test("gets nothing for a resource that only moved to another part", () => {
    expect(answerAfter(mode, [a, b], [both])).toBeUndefined();
    expect(answerAfter(mode, [both], [b, a])).toBeUndefined();
  });

  test("gets the removals of a removed part, and nothing for the part that moved into its place", () => {
    expect(answerAfter(mode, [a, b], [b])).toMatchObject({ removed: ["a"], changed: [] });
  });
});

test("removals are sorted by name across all parts", () => {
  const [z, y] = [setOf(clusterType, { z: 1 }), setOf(clusterType, { y: 1 })];
  expect(answerAfter("delta", [z, y, a], [a])?.removed).toEqual(["y", "z"]);
});

test("the check whether removals may leave runs only when something is removed", () => {
  const subscription = new Subscription(toyGenerator(clusterType), "delta");
  subscription.subscribeTo({ wildcard: true });
  expect(subscription.due([a], { mayRemove: failing })?.resources).toHaveLength(1);
});

function failing(): never {
  throw new Error("nothing is gone");
}

describe.each(["sotw", "delta"] as const)("a new %s client that requests names", (mode) => {
  const [type, clusters] = [toyGenerator(endpointType), toyGenerator(clusterType)];
  const set = setOf(endpointType, { a: 1, b: 1, c: 1 });
  const names = new Set(["a", "c", "missing"]);

  function firstAnswer(asked: ReadonlySet<string>, prepare: (subscription: Subscription) => void = () => undefined) {
    const subscription = new Subscription(type, mode);
    subscription.subscribeTo({ names: asked });
    prepare(subscription);
    return subscription.due([set], options);
  }

  function everything(asked: ResourceType, target: Target) {
    const subscription = new Subscription(asked, mode);
    subscription.subscribeTo({ wildcard: true });
    return subscription.due(target, options);
  }

  test("shares its first answer with clients that request the same names", () => {
    const answer = firstAnswer(names);
    expect(answer?.resources.map(({ name }) => name)).toEqual(["a", "c", "missing"]);
    expect(firstAnswer(names)).toBe(answer);
    expect(firstAnswer(new Set(["a"]))).not.toBe(answer);
  });

  test("shares it with clients that request everything, and keeps no list of its own", () => {
    for (const asked of [clusters, type]) {
      const answer = everything(asked, [set]);
      expect(answer?.changed.map(({ name }) => name)).toEqual(["a", "b", "c"]);
      expect(everything(asked, [set])).toBe(answer);
      expect(everything(asked, [set, a])).not.toBe(answer);
    }
  });

  test("gets an answer of its own if something is sent again for warming", () => {
    const forced = firstAnswer(names, (subscription) => subscription.forceSend(["a"], "clusters_sent"));
    expect(forced).toEqual(firstAnswer(names));
    expect(forced).not.toBe(firstAnswer(names));
  });
});
