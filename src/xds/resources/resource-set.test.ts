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

  test("loses a covered name without a resource, and no other name", () => {
    const set = setOf({ a: "1", b: "2", c: "3" });
    expect(text(set.apply({ covers: new Set(["a", "c"]), resources: [resource("c", "3")] }))).toBe("b=2;c=3;");
  });

  test("has a version that depends only on the content", () => {
    const oneWay = setOf({ a: "1" }).apply({ covers: new Set(["b"]), resources: [resource("b", "2")] });
    const otherWay = setOf({ b: "2", a: "0" }).apply({ covers: new Set(["a"]), resources: [resource("a", "1")] });
    expect(oneWay.version).toBe(otherWay.version);
    expect(oneWay.version).not.toBe(setOf({ a: "1" }).version);
  });

  test("shares unchanged chunks with its successor", () => {
    const contents = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`r${index}`, "x"]));
    const set = setOf(contents);
    const next = set.apply({ covers: new Set(["r500"]), resources: [resource("r500", "y")] });
    const shared = new Set(set.segments()).intersection(new Set(next.segments()));
    expect(shared.size).toBe(set.segments().length - 1);
  });
});

/** Names of three digits, so that they sort like the numbers. */
const numbered = (count: number, content = "x") =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${String(index).padStart(3, "0")}`, content]));

describe("a resource set of many chunks", () => {
  const set = setOf(numbered(300));

  test("finds each of its resources, and no other", () => {
    expect(set.chunks.length).toBeGreaterThan(3);
    const names = Object.keys(numbered(300));
    expect(names.filter((name) => set.get(name)?.name !== name)).toEqual([]);
    for (const name of ["", "r", "r0000", "r150x", "z"]) expect(set.get(name)).toBeUndefined();
    expect(ResourceSet.empty.get("r000")).toBeUndefined();
  });

  test("takes new names before, between and after the names it has", () => {
    const next = set.apply({ covers: new Set(), resources: ["a", "r100x", "z"].map((name) => resource(name, "new")) });
    const names = Array.from(next, ({ name }) => name);
    expect(names).toEqual([...Object.keys(numbered(300)), "a", "r100x", "z"].toSorted());
    expect([next.size, set.size]).toEqual([303, 300]);
  });

  test("is empty after all resources are removed, and has the digest of the empty set", () => {
    const empty = set.apply({ covers: "all", resources: [] });
    expect([empty.size, empty.digest, empty.version, [...empty]]).toEqual([0, 0n, "0000000000000000", []]);
    expect(text(empty.apply({ covers: "all", resources: [resource("a", "1")] }))).toBe("a=1;");
  });
});

const owned = (content: string, owners: readonly string[], version?: string) => {
  const plain = resource("a", content);
  return { ...plain, owners, version: version ?? plain.version };
};

describe("equal bytes", () => {
  const before = ResourceSet.empty.apply({ covers: "all", resources: [owned("1", ["x"])] });
  const after = (next: Resource) => before.apply({ covers: "all", resources: [next] });

  test("are stored once when the owners change", () => {
    const next = after(owned("1", ["y"]));
    expect(next.get("a")).toMatchObject({ owners: ["y"] });
    expect(next.get("a")?.entry).toBe(before.get("a")?.entry);
    expect(difference(before, next)).toEqual({ changed: [], removed: [] });
  });

  test("under another version are another resource", () => {
    expect(after(owned("1", ["x"], "2")).get("a")?.version).toBe("2");
  });

  test("are distinguished from other bytes under the same version", () => {
    const next = after(owned("2", ["x"], owned("1", []).version));
    expect(next.get("a")?.entry.toString()).toBe("a=2;");
  });
});

test("a set with its source's own version has the same resources, and one identity per version", () => {
  const set = setOf({ a: "1" });
  const labelled = set.versioned("7");
  expect([labelled.version, labelled.chunks]).toEqual(["7", set.chunks]);
  expect(labelled.versioned("7")).toBe(labelled);
});

test("a run of updates gives the same content as a map, and the differences lead from set to set", () => {
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

test("the difference between two sets is computed once for all streams", () => {
  const from = setOf({ a: "1" });
  const to = setOf({ a: "2" });
  expect(difference(from, to)).toBe(difference(from, to));
  expect(difference(from, from)).toEqual({ changed: [], removed: [] });
});
