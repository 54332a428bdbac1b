import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { assert } from "../../lib/assert.ts";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { clusterType } from "../type-urls.ts";
import { maxLateRemovals, type Retained } from "./answer.ts";
import { Subscription } from "./subscription.ts";

/** A client whose listeners stay rejected, so that no cluster may be removed. */
class HeldBackClient {
  readonly subscription = new Subscription(toyGenerator(clusterType), "delta");
  retained: Retained = new Map();
  readonly removed = new Set<string>();
  #nonce = 0;

  constructor(names: Iterable<string>) {
    this.subscription.subscribeTo({ wildcard: true });
    this.edit(names);
  }

  edit(names: Iterable<string>): void {
    const nonce = String(++this.#nonce);
    // The marker always changes, so that an answer leaves.
    const contents = { marker: this.#nonce, ...Object.fromEntries(Array.from(names, (name) => [name, 1])) };
    const answer = this.subscription.due([setOf(clusterType, contents)], { mayRemove: () => false });
    assert(answer !== undefined, "the marker changed");
    this.subscription.recordSent(nonce, answer, 0);
    this.subscription.ack(nonce);
    this.retained = answer.retained;
    for (const name of answer.removed) this.removed.add(name);
  }
}

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe("held-back removals while listeners stay rejected", () => {
  let client: HeldBackClient;

  beforeEach(() => {
    client = new HeldBackClient(named("old", 2000));
  });

  test("include every resource of the last target that was sent in full, however many", () => {
    client.edit(["new"]);
    expect([client.retained.size, client.removed.size]).toEqual([2000, 0]);
  });

  test("drop later additions, the oldest first", () => {
    for (const batch of ["a", "b", "c"]) client.edit([...named("old", 1999), ...named(batch, 500)]);
    client.edit(named("old", 1999));
    expect(client.retained.size).toBe(1 + maxLateRemovals);
    expect(client.retained.has("old1999")).toBe(true);
    expect([...client.removed].toSorted()).toEqual(
      named("a", 500)
        .toSorted()
        .slice(0, 1500 - maxLateRemovals),
    );
  });

  test("stay bounded under random changes, and never remove a resource that was sent in full or exists now", () => {
    const prefix = fc.constantFrom("old", "a", "b", "c", "d");
    const edits = fc.array(fc.array(fc.tuple(prefix, fc.nat(900)), { maxLength: 4 }), { maxLength: 8 });
    fc.assert(
      fc.property(edits, (history) => {
        const one = new HeldBackClient([...named("old", 300), "gone from now on"]);
        one.edit(named("old", 300));
        for (const parts of history) {
          const names = new Set(parts.flatMap(([text, count]) => named(text, count)));
          one.removed.clear();
          one.edit(names);
          assert(one.retained.size <= 301 + maxLateRemovals, "what is held back is bounded");
          expect(Array.from(one.removed).filter((name) => names.has(name))).toEqual([]);
          expect(named("old", 300).filter((name) => one.removed.has(name))).toEqual([]);
          expect(named("old", 300).filter((name) => !names.has(name) && !one.retained.has(name))).toEqual([]);
        }
      }),
      { seed, numRuns: runs(20) },
    );
  });
});
