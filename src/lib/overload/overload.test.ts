import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../testing/random/seed.ts";
import { type LevelChange, Overload } from "./overload.ts";
import { loadLevels, type Pressure, resourceNames, resources, scarcestOf } from "./pressure.ts";
import { paceOf, works } from "./work.ts";

const mib = 2 ** 20;
const calm: Pressure = {
  loopDelayMs: 1,
  heap: { usedBytes: 50 * mib, limitBytes: 256 * mib },
  resident: { usedBytes: 100 * mib, limitBytes: Number.POSITIVE_INFINITY },
  queueMs: 0,
};
const heapAt = (share: number): Pressure => ({
  ...calm,
  heap: { usedBytes: share * 256 * mib, limitBytes: 256 * mib },
});
const delayed = (loopDelayMs: number): Pressure => ({ ...calm, loopDelayMs });

function rig() {
  const changes: LevelChange[] = [];
  const overload = new Overload((change) => changes.push(change));
  const measure = (times: number, pressure: Pressure) => {
    for (let time = 0; time < times; time++) overload.measured(pressure);
    return overload.level;
  };
  return { overload, changes, measure };
}

describe("the level of a server", () => {
  test("is normal while nothing is scarce", () => {
    expect(rig().measure(100, calm)).toBe("normal");
  });

  test("of the event loop rises with the second measurement in a row, to the measured level", () => {
    const { measure } = rig();
    expect(measure(1, delayed(3_000))).toBe("normal");
    expect(measure(1, delayed(3_000))).toBe("critical");
  });

  test("does not rise for one measurement alone, however often that happens", () => {
    const { measure } = rig();
    for (let time = 0; time < 20; time++) {
      expect(measure(1, delayed(9_000))).toBe("normal");
      expect(measure(1, calm)).toBe("normal");
    }
  });

  test("rises with the first measurement of full memory, which is no passing state", () => {
    expect(rig().measure(1, heapAt(0.9))).toBe("high");
    expect(rig().measure(1, { ...calm, resident: { usedBytes: 93, limitBytes: 100 } })).toBe("high");
  });

  test("falls one level after ten calm measurements in a row", () => {
    const { measure } = rig();
    measure(2, heapAt(0.96));
    expect(measure(9, calm)).toBe("critical");
    expect(measure(1, calm)).toBe("high");
    expect(measure(10, calm)).toBe("elevated");
    expect(measure(9, calm)).toBe("elevated");
    measure(1, heapAt(0.79));
    expect(measure(9, calm)).toBe("elevated");
    expect(measure(1, calm)).toBe("normal");
  });

  test("stays just below its threshold, so that it does not come and go", () => {
    const { measure } = rig();
    measure(2, heapAt(0.81));
    expect(measure(100, heapAt(0.75))).toBe("elevated");
    expect(measure(10, heapAt(0.7))).toBe("normal");
  });

  test("follows the scarcest resource, and names it with an advice", () => {
    const { measure, changes, overload } = rig();
    measure(2, { ...heapAt(0.85), loopDelayMs: 1_500 });
    expect(overload.reason).toBe("the event loop is delayed by 1500 ms");
    measure(2, { ...heapAt(0.96), loopDelayMs: 1_500 });
    expect(changes).toEqual([
      {
        before: "normal",
        level: "high",
        reason: "the event loop is delayed by 1500 ms",
        advice: resources["event loop"].advice,
      },
      {
        before: "high",
        level: "critical",
        reason: "the heap is 96 % of 256 MiB full",
        advice: resources.heap.advice,
      },
    ]);
    measure(30, calm);
    expect(changes.at(-1)).toEqual({ before: "elevated", level: "normal", reason: undefined, advice: undefined });
  });

  test.each<[string, Partial<Pressure>]>([
    ["event loop", { loopDelayMs: 250 }],
    ["heap", { heap: { usedBytes: 80, limitBytes: 100 } }],
    ["memory", { resident: { usedBytes: 85, limitBytes: 100 } }],
    ["push queue", { queueMs: 5_000 }],
  ])("is elevated from the first threshold of %s on", (resource, pressure) => {
    expect(scarcestOf({ ...calm, ...pressure })).toEqual({ resource, level: "elevated" });
  });

  test("never falls while the pressure grows", () => {
    const step = fc.integer({ min: 0, max: 120 });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { overload, measure } = rig();
        for (const percent of steps.toSorted((a, b) => a - b)) {
          const before = loadLevels.indexOf(overload.level);
          expect(loadLevels.indexOf(measure(1, heapAt(percent / 100)))).toBeGreaterThanOrEqual(before);
        }
      }),
      { seed, numRuns: runs(100) },
    );
  });
});

test.each<[string, Pressure, boolean]>([
  ["the heap at its second threshold", heapAt(0.9), true],
  ["the container at its second threshold", { ...calm, resident: { usedBytes: 92, limitBytes: 100 } }, true],
  ["the heap at its first threshold", heapAt(0.8), false],
  ["a late event loop", delayed(1_000), false],
])("memory is scarce for new objects and streams: %s", (_, pressure, isScarce) => {
  const { overload, measure } = rig();
  measure(2, pressure);
  expect(overload.isMemoryScarce).toBe(isScarce);
});

describe("work under load", () => {
  test("removals and security are never shed", () => {
    for (const level of loadLevels) {
      expect([paceOf("removals", level), paceOf("security", level)]).toEqual(["usual", "usual"]);
    }
  });

  test("is shed only with all work that matters less, and more at each level", () => {
    const order = ["usual", "slower", "slowest", "refused"];
    for (const level of loadLevels) {
      const shed = works.filter((work) => paceOf(work, level) !== "usual");
      expect(shed).toEqual(works.slice(works.length - shed.length));
    }
    for (const work of works) {
      const ranks = loadLevels.map((level) => order.indexOf(paceOf(work, level)));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    }
  });

  test("that is shed is counted by class", () => {
    const { overload } = rig();
    overload.shed("streams");
    overload.shed("streams");
    overload.shed("pages");
    expect(Object.fromEntries(overload.shedCounts)).toEqual({
      removals: 0,
      security: 0,
      configuration: 0,
      streams: 2,
      pages: 1,
      status: 0,
    });
  });

  test("has a threshold for every level of every resource, in rising order", () => {
    for (const name of resourceNames) {
      const { thresholds } = resources[name];
      expect(thresholds).toEqual(thresholds.toSorted((a, b) => a - b));
    }
  });
});
