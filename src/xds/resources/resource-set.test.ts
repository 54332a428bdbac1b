import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashText } from "../../lib/hash.ts";
import { seed } from "../../testing/random/seed.ts";
import { difference } from "./difference.ts";
import type { Resource } from "./resource.ts";
import { ResourceSet } from "./resource-set.ts";

function resource(name: string, content: string): Resource {
  const entry = Buffer.from(`${name}=${content};`);
  return { name, version: hashText(entry), entry, owners: [] };
}

const setOf = (contents: Readonly<Record<string, string>>): ResourceSet =>
  ResourceSet.empty.apply({
    covers: "all",
    resources: Object.entries(contents).map(([name, content]) => resource(name, content)),
  });

const text = (set: ResourceSet) => Buffer.concat(set.segments()).toString();

describe("a resource set", () => {
  test("is sorted by name, in its order and in its bytes", () => {
    const set = setOf({ b: "2", c: "3", a: "1" });
    expect(Array.from(set, ({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(text(set)).toBe("a=1;b=2;c=3;");
  });

  test("stays the same object when no byte differs, and keeps the old resources", () => {
    const set = setOf({ a: "1", b: "2" });
    expect(set.apply({ covers: "all", resources: [resource("b", "2"), resource("a", "1")] })).toBe(set);
    const next = set.apply({ covers: new Set(["a", "b"]), resources: [resource("a", "1"), resource("b", "3")] });
    expect(next.get("a")).toBe(set.get("a"));
    expect(next.get("b")?.entry.toString()).toBe("b=3;");
  });

  test("loses a covered name without a resource, and nothing else", () => {
    const set = setOf({ a: "1", b: "2", c: "3" });
    expect(text(set.apply({ covers: new Set(["a", "c"]), resources: [resource("c", "3")] }))).toBe("b=2;c=3;");
  });

  test("has a version that depends on the content alone", () => {
    const oneWay = setOf({ a: "1" }).apply({ covers: new Set(["b"]), resources: [resource("b", "2")] });
    const otherWay = setOf({ b: "2", a: "0" }).apply({ covers: new Set(["a"]), resources: [resource("a", "1")] });
    expect(oneWay.version).toBe(otherWay.version);
    expect(oneWay.version).not.toBe(setOf({ a: "1" }).version);
  });

  test("shares what did not change with its successor", () => {
    const contents = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`r${index}`, "x"]));
    const set = setOf(contents);
    const next = set.apply({ covers: new Set(["r500"]), resources: [resource("r500", "y")] });
    const shared = new Set(set.segments()).intersection(new Set(next.segments()));
    expect(shared.size).toBe(set.segments().length - 1);
  });
});

test("applying runs one after the other gives what a map would hold, and differences tell the way", () => {
  const names = fc.constantFrom(...Array.from({ length: 200 }, (_, index) => `n${index}`));
  const run = fc.record({
    covers: fc.oneof(fc.constant("all" as const), fc.uniqueArray(names, { maxLength: 40 })),
    contents: fc.dictionary(names, fc.constantFrom("x", "y"), { maxKeys: 80 }),
  });
  fc.assert(
    fc.property(fc.array(run, { maxLength: 8 }), (runs) => {
      let set = ResourceSet.empty;
      let model = new Map<string, string>();
      for (const { covers, contents } of runs) {
        const covered = covers === "all" ? "all" : new Set([...covers, ...Object.keys(contents)]);
        const before = set;
        set = set.apply({
          covers: covered,
          resources: Object.entries(contents).map(([name, content]) => resource(name, content)),
        });
        model = new Map([...model].filter(([name]) => covered !== "all" && !covered.has(name)));
        for (const [name, content] of Object.entries(contents)) model.set(name, content);
        const expected = [...model]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, value]) => `${name}=${value};`);
        expect(text(set)).toBe(expected.join(""));
        expect(set.size).toBe(model.size);
        const { changed, removed } = difference(before, set);
        const replay = new Map(Array.from(before, (each) => [each.name, each.version]));
        for (const each of removed) expect(replay.delete(each.name)).toBe(true);
        for (const each of changed) {
          expect(replay.get(each.name)).not.toBe(each.version);
          replay.set(each.name, each.version);
        }
        expect(replay).toEqual(new Map(Array.from(set, (each) => [each.name, each.version])));
      }
    }),
    { seed },
  );
});

test("the difference between two sets is computed once for all who stand there", () => {
  const from = setOf({ a: "1" });
  const to = setOf({ a: "2" });
  expect(difference(from, to)).toBe(difference(from, to));
  expect(difference(from, from)).toEqual({ changed: [], removed: [] });
});
