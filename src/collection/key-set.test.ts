import fc from "fast-check";
import { expect, test } from "vitest";
import { seed } from "../testing/random/seed.ts";
import { KeySet } from "./key-set.ts";

const anyStep = fc.record({ type: fc.constantFrom("add", "delete"), key: fc.constantFrom("a", "b", "c") });

test("a set of keys behaves like a Set", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 12 }), (steps) => {
      const keys = new KeySet();
      const model = new Set<string>();
      for (const { type, key } of steps) {
        if (type === "add") {
          keys.add(key);
          model.add(key);
        } else {
          keys.delete(key);
          model.delete(key);
        }
        expect([...keys]).toEqual([...model]);
        expect(keys.size).toBe(model.size);
        for (const each of ["a", "b", "c"]) expect(keys.has(each)).toBe(model.has(each));
      }
    }),
    { seed, numRuns: 200 },
  );
});

test("a set of given keys has each once, in their order", () => {
  expect([...KeySet.of(["b", "a", "b"])]).toEqual(["b", "a"]);
});
