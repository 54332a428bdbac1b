import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../testing/random/seed.ts";
import { jsonPatch, type PatchStep } from "./json-patch.ts";

type Node = Record<string, unknown> | unknown[];

/** A plain implementation of RFC 6902 for the steps that we produce. */
function apply(value: unknown, steps: readonly PatchStep[]): unknown {
  const root = { "": structuredClone(value) };
  for (const step of steps) {
    const names = step.path.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = names.pop() ?? "";
    const parent = names.reduce<unknown>(
      (inner, name) => (inner as Record<string, unknown>)[name],
      step.path === "" ? root : { "": root[""] },
    ) as Node;
    put(parent, last, step);
  }
  return root[""];
}

function put(parent: Node, last: string, step: PatchStep): void {
  if (Array.isArray(parent)) {
    if (step.op === "remove") parent.splice(Number(last), 1);
    else if (last === "-") parent.push(step.value);
    else parent[Number(last)] = step.value;
  } else if (step.op === "remove") {
    expect(Object.hasOwn(parent, last)).toBe(true);
    delete parent[last];
  } else {
    Object.defineProperty(parent, last, { value: step.value, enumerable: true, configurable: true, writable: true });
  }
}

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
      expect(JSON.stringify(sorted(apply({ v: before }, jsonPatch({ v: before }, { v: after }))))).toBe(
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
