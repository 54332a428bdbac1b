import { describe, expect, test } from "vitest";
import { assert } from "../../lib/assert.ts";
import { emptyMesh } from "../../testing/envoy/toy-control-plane.ts";
import { setOf, type ToyInputs, toyContext, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { clusterType } from "../../xds/type-urls.ts";
import { Part } from "./part.ts";

const push = toyContext(1, emptyMesh);

function partOf(inputs: ToyInputs): Part {
  const [family] = toyGenerator(clusterType).families;
  assert(family !== undefined, "the toy mesh has a family");
  return new Part("CDS", family, inputs, push);
}

/** Names that count how often they are iterated. */
class CountedNames extends Set<string> {
  walks = 0;

  override [Symbol.iterator]() {
    this.walks++;
    return super[Symbol.iterator]();
  }
}

describe("a part", () => {
  test("has an id of family and inputs, and a key with its type before them", () => {
    const { name, key, type } = partOf({ namespace: "shop" });
    expect({ name, key, type }).toEqual({
      name: 'toy {"namespace":"shop"}',
      key: 'CDS toy {"namespace":"shop"}',
      type: "CDS",
    });
  });

  test("that is not built by name uses its inputs unchanged", () => {
    for (const inputs of [{ namespace: "shop" }, { namespace: "shop", names: "all" as const }]) {
      const part = partOf(inputs);
      expect(part.family.name).toBe("toy");
      expect(part.inputs()).toBe(inputs);
    }
  });

  test("that is built by name uses the held names, or the names of a run", () => {
    const part = partOf({ namespace: "shop", names: new Set(["first"]) });
    part.hold(new Set(["a", "b"]));
    expect(part.inputs()).toEqual({ namespace: "shop", names: new Set(["a", "b"]) });
    expect(part.inputs(new Set(["b"]))).toEqual({ namespace: "shop", names: new Set(["b"]) });
  });

  test("returns names without an earlier holder, which are not built yet", () => {
    const part = partOf({ namespace: "shop", names: new Set() });
    expect([...part.hold(new Set(["a", "b"]))]).toEqual(["a", "b"]);
    part.unmade.clear();
    expect([...part.hold(new Set(["b", "c"]))]).toEqual(["c"]);
    expect([...part.unmade]).toEqual(["c"]);
    expect([...part.names]).toEqual(["a", "b", "c"]);
  });

  test("keeps a name and its resource until the last holder leaves", () => {
    const part = partOf({ namespace: "shop", names: new Set() });
    const [both, one] = [new Set(["a", "b"]), new Set(["b"])];
    part.hold(both);
    part.hold(one);
    part.set = setOf(clusterType, { a: 1, b: 1 });
    part.release(both);
    expect([[...part.names], [...part.unmade], Array.from(part.set, ({ name }) => name)]).toEqual([
      ["b"],
      ["b"],
      ["b"],
    ]);
    part.release(one);
    expect([[...part.names], [...part.unmade], part.set.size]).toEqual([[], [], 0]);
  });

  test("keeps one object of names as long as they stay the same", () => {
    const part = partOf({ namespace: "shop", names: new Set() });
    part.hold(new Set(["a", "b"]));
    const { names } = part;
    const again = new Set(["a"]);
    part.hold(again);
    part.release(again);
    expect(part.names).toBe(names);
    part.hold(new Set(["c"]));
    expect(part.names).not.toBe(names);
  });

  test("iterates the names of a thousand holders of one set once, and once more when the last leaves", () => {
    const part = partOf({ namespace: "shop", names: new Set() });
    const names = new CountedNames(["a"]);
    for (let holder = 0; holder < 1_000; holder++) part.hold(names);
    expect([names.walks, part.names.size]).toEqual([1, 1]);
    for (let holder = 0; holder < 999; holder++) part.release(names);
    expect([names.walks, part.names.size]).toEqual([1, 1]);
    part.release(names);
    expect([names.walks, part.names.size]).toEqual([2, 0]);
    part.hold(names);
    expect([names.walks, part.names.size]).toEqual([3, 1]);
  });
});
