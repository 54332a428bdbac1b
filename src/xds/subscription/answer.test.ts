import { describe, expect, test } from "vitest";
import { assert } from "../../lib/assert.ts";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import type { Target } from "../resources/target.ts";
import { clusterType } from "../type-urls.ts";
import type { Answer } from "./answer.ts";
import { Subscription } from "./subscription.ts";

const options = { mayRemove: () => true };

/** A client that has accepted all of the first target, and what it is told of the second. */
function answerAfter(mode: "sotw" | "delta", before: Target, after: Target): Answer | undefined {
  const subscription = new Subscription(toyGenerator(clusterType), mode);
  subscription.want({ wildcard: true });
  const first = subscription.due(before, options);
  assert(first !== undefined, "the first answer is always one");
  subscription.sendAs("1", first, 0);
  subscription.judge("1", undefined);
  return subscription.due(after, options);
}

const [a, b, both] = [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }].map((contents) => setOf(clusterType, contents));
assert(a !== undefined && b !== undefined && both !== undefined, "three sets");

describe.each(["sotw", "delta"] as const)("a %s client", (mode) => {
  test("does not hear of what only moved to another part", () => {
    expect(answerAfter(mode, [a, b], [both])).toBeUndefined();
    expect(answerAfter(mode, [both], [b, a])).toBeUndefined();
  });

  test("hears of a part that went, and not of the one that took its place", () => {
    expect(answerAfter(mode, [a, b], [b])).toMatchObject({ removed: ["a"], changed: [] });
  });
});
