import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Resource } from "../../src/pilot/model/resource.ts";
import { ConstraintCheck } from "../../src/testing/envoy/constraint-check.ts";
import { Random } from "../../src/testing/random/random.ts";
import { runs, steadySeed } from "../../src/testing/random/seed.ts";
import { MutatedMesh } from "../e2e/judged/mutated-mesh.ts";
import { constrainedFields } from "../reference/envoy-constraints.ts";
import { keptConstraints } from "../reference/kept-constraints.ts";

const root = join(import.meta.dirname, "../..");

/** Objects that are mutated at once. */
const crowd = 10;

describe("resources generated from mutated objects that pass validation", () => {
  // `npm run fuzz 1000 test/scenarios/envoy-constraints.test.ts` takes 100 000 of them.
  test("keep the rules of Envoy's protos, in fields that the reference lists", async () => {
    const count = runs(100);
    const mesh = new MutatedMesh(new Random(steadySeed(7)));
    const check = new ConstraintCheck();
    const look = () => mesh.generate().flatMap(({ generated }) => [...generated].flatMap(violationsOf));
    // Istio's agents read PCDS themselves, and Envoy never sees it.
    const violationsOf = ([type, resources]: readonly [string, readonly Resource[]]) =>
      type === "PCDS" ? [] : resources.flatMap((each) => check.check(each));
    expect(look()).toEqual([]);
    while (mesh.accepted < count) {
      const mutations = mesh.draw(crowd);
      const broken = await mesh.during(mutations, look);
      expect({ broken, mutations: broken.length === 0 ? [] : mutations }).toEqual({ broken: [], mutations: [] });
    }
    expect([...check.filled].filter((name) => !keptConstraints.has(name))).toEqual([]);
    expect(check.filled.size).toBeGreaterThan(100);
  });
});

test("every listed constraint is one of Envoy's, and is kept by a file that exists", () => {
  const constrained = constrainedFields();
  expect([...keptConstraints.keys()].filter((name) => !constrained.has(name))).toEqual([]);
  expect([...keptConstraints.values()].filter(({ by }) => !existsSync(join(root, by)))).toEqual([]);
});
