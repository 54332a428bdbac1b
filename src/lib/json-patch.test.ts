import fc from "fast-check";
import { expect, test } from "vitest";
import { applyJsonPatch } from "../testing/apply-json-patch.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { jsonPatch, type PatchStep } from "./json-patch.ts";

test.each<readonly [unknown, unknown, readonly PatchStep[]]>([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 2 }, [{ op: "replace", path: "/a", value: 2 }]],
  [{ "x/y~z": 1 }, {}, [{ op: "remove", path: "/x~1y~0z" }]],
  [{}, { a: { b: 1 } }, [{ op: "add", path: "/a", value: { b: 1 } }]],
  [
    [1, 2, 3],
    [1],
    [
      { op: "remove", path: "/2" },
      { op: "remove", path: "/1" },
    ],
  ],
  [[1], [1, 2], [{ op: "add", path: "/-", value: 2 }]],
  [{ a: [] }, { a: {} }, [{ op: "replace", path: "/a", value: {} }]],
])("the patch from %j to %j is %j", (before, after, steps) => {
  expect(jsonPatch(before, after)).toEqual(steps);
});

test("a patch turns any value into any other", () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, value, (before, after) => {
      expect(JSON.stringify(sorted(applyJsonPatch({ v: before }, jsonPatch({ v: before }, { v: after }))))).toBe(
        JSON.stringify(sorted({ v: after })),
      );
    }),
    { seed, numRuns: runs(500) },
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}
