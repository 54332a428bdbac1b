import fc from "fast-check";
import { expect, test } from "vitest";
import { seed } from "../testing/random/seed.ts";
import { CowMap } from "./cow-map.ts";

type Step =
  | { readonly type: "set"; readonly key: string; readonly value: number }
  | { readonly type: "delete"; readonly key: string }
  | { readonly type: "freeze" };

const anyKey = fc.string({ maxLength: 2 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("set"), key: anyKey, value: fc.nat() }),
  fc.record({ type: fc.constant("delete"), key: anyKey }),
  fc.record({ type: fc.constant("freeze") }),
);

function ascending(a: number, b: number): number {
  return a - b;
}

test("a copy-on-write map behaves like a Map, and a frozen view shows no later write", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 150 }), (steps) => {
      const map = new CowMap<number>();
      const model = new Map<string, number>();
      const frozen: [view: ReturnType<typeof map.freeze>, then: Map<string, number>][] = [];
      for (const step of steps) {
        if (step.type === "freeze") frozen.push([map.freeze("numbers"), new Map(model)]);
        else if (step.type === "delete") {
          map.delete(step.key);
          model.delete(step.key);
        } else {
          map.set(step.key, step.value);
          model.set(step.key, step.value);
        }
      }
      frozen.push([map.freeze("numbers"), model]);
      for (const [view, then] of frozen) {
        expect(new Map(view.entries())).toEqual(then);
        expect([...view.values()].toSorted(ascending)).toEqual([...then.values()].toSorted(ascending));
        expect(view.size).toBe(then.size);
        for (const key of model.keys()) expect(view.get(key)).toBe(then.get(key));
      }
    }),
    { seed, numRuns: 200 },
  );
});

test("a write after a snapshot copies one shard and shares the others", () => {
  const map = new CowMap<number>();
  for (let index = 0; index < 5000; index++) map.set(`default/service-${index}`, index);
  const before = map.freeze("services");
  map.set("default/service-7", -1);
  const after = map.freeze("services");
  expect(after.shards.filter((shard, index) => shard !== before.shards[index])).toHaveLength(1);
  expect(before.get("default/service-7")).toBe(7);
  expect(after.get("default/service-7")).toBe(-1);
});

test("keys that differ only at their end spread over the shards", () => {
  const map = new CowMap<number>();
  for (let index = 0; index < 50_000; index++) map.set(`namespace/a-rather-long-service-name-${index}`, index);
  const sizes = map.freeze("services").shards.map(({ size }) => size);
  expect(Math.max(...sizes)).toBeLessThan(120);
});

test("a small map has few shards, and a snapshot from before it grew shows what it had", () => {
  const map = new CowMap<number>();
  const views = [10, 100, 1_000, 10_000].map((size) => {
    for (let index = map.size; index < size; index++) map.set(`default/service-${index}`, index);
    return { size, view: map.freeze("services") };
  });
  for (const { size, view } of views) {
    expect(view.shards.length).toBeLessThanOrEqual(Math.max(1, size / 8));
    expect(view.shards.length).toBeGreaterThanOrEqual(size / 64);
    expect(new Map(view.entries()).size).toBe(size);
    for (let index = 0; index < size; index++) expect(view.get(`default/service-${index}`)).toBe(index);
    expect(view.get(`default/service-${size}`)).toBeUndefined();
  }
});
