import { describe, expect, test } from "vitest";
import { assert } from "../../lib/assert.ts";
import { Chunk } from "./chunk.ts";
import { digestOf } from "./digest.ts";
import { makeResource } from "./make-resource.ts";
import type { Resource } from "./resource.ts";

const resource = (name: string, content = "1") =>
  makeResource({ typeUrl: "some.Type", name, value: Buffer.from(content) });
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => resource(`n${String(index).padStart(4, "0")}`));
const pack = (resources: readonly Resource[]) => Chunk.pack(new Map(resources.map((each) => [each.name, each])));
const namesIn = ({ resources }: Chunk) => resources.map(({ name }) => name);

/** Packs a few resources into one chunk. */
function packed(...names: readonly string[]): Chunk {
  const [chunk, ...others] = pack(names.map((name) => resource(name)));
  assert(chunk !== undefined && others.length === 0, "few resources are one chunk");
  return chunk;
}

describe("packing", () => {
  test("makes no chunk for an empty map", () => {
    expect(Chunk.pack(new Map())).toEqual([]);
    expect(Chunk.pack(new Map([["gone", undefined]]))).toEqual([]);
  });

  test("sorts by name and skips names without a resource", () => {
    const entries = new Map([
      ["b", resource("b")],
      ["gone", undefined],
      ["a", resource("a")],
    ]);
    expect(Chunk.pack(entries).map(namesIn)).toEqual([["a", "b"]]);
  });

  test.each([
    [1, [1]],
    [95, [95]],
    [96, [48, 48]],
    [128, [64, 64]],
    [200, [66, 67, 67]],
  ])("cuts %i resources into chunks of nearly equal size, some 64 each", (count, sizes) => {
    const resources = numbered(count);
    const chunks = pack(resources.toReversed());
    expect(chunks.map((chunk) => chunk.resources.length)).toEqual(sizes);
    expect(chunks.flatMap(namesIn)).toEqual(resources.map(({ name }) => name));
  });
});

describe("a chunk", () => {
  test("knows its first name, and the sum of its digests", () => {
    const chunk = packed("b", "a");
    expect(chunk.first).toBe("a");
    expect(chunk.digest).toBe(digestOf(resource("a")) + digestOf(resource("b")));
  });

  test.each([1, 2, 3, 7, 64])("of %i finds each of its resources by name, and no other", (count) => {
    const resources = numbered(count);
    const [chunk] = pack(resources);
    expect(resources.map(({ name }) => chunk?.get(name))).toEqual(resources);
    for (const name of ["", "n0000x", "n9999"]) expect(chunk?.get(name)).toBeUndefined();
  });

  test("has the bytes of its resources in one buffer, made once", () => {
    const chunk = packed("a", "b");
    expect(chunk.bulk).toEqual(Buffer.concat([resource("a").entry, resource("b").entry]));
    expect(chunk.bulk).toBe(chunk.bulk);
  });

  test("is replaced by a chunk with the changes, or by none when nothing is left", () => {
    const chunk = packed("a", "b");
    const changed = resource("b", "2");
    const [next, ...others] = chunk.edit(
      new Map([
        ["a", undefined],
        ["b", changed],
        ["c", resource("c")],
      ]),
    );
    expect([next && namesIn(next), next?.get("b"), others]).toEqual([["b", "c"], changed, []]);
    expect(
      chunk.edit(
        new Map([
          ["a", undefined],
          ["b", undefined],
        ]),
      ),
    ).toEqual([]);
    expect(namesIn(chunk)).toEqual(["a", "b"]);
  });
});
