import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import { Finder, maxOffenders } from "./finder.ts";

/** A proxy that rejects configurations with one of these suspects, or with both suspects of a pair. */
interface Verdicts {
  readonly bad: ReadonlySet<number>;
  readonly pairs: readonly (readonly [number, number])[];
}

function rejects({ bad, pairs }: Verdicts, probe: ReadonlySet<number>): boolean {
  return !bad.isDisjointFrom(probe) || pairs.some((pair) => pair.every((each) => probe.has(each)));
}

/** Runs a search to its end. Checks after each probe that the probe took nothing away that an earlier one brought. */
function search(size: number, verdicts: Verdicts, tested: boolean) {
  const suspects = Array.from({ length: size }, (_, index) => index);
  const finder = new Finder(suspects, tested ? "all together" : undefined);
  let held: ReadonlySet<number> = new Set();
  for (let next = finder.next; next !== undefined; next = finder.next) {
    const probe = new Set(next);
    expect(held.difference(probe).size).toBe(0);
    if (rejects(verdicts, probe)) finder.rejected(`rejected ${probe.size}`);
    else {
      finder.accepted();
      held = probe;
    }
    expect(finder.probes).toBeLessThanOrEqual(boundFor(size, maxOffenders + 1));
  }
  return finder;
}

function boundFor(size: number, offenders: number): number {
  return offenders * (Math.ceil(Math.log2(Math.max(1, size))) + 1);
}

const cases = fc.integer({ min: 1, max: 300 }).chain((size) => {
  const index = fc.integer({ min: 0, max: size - 1 });
  return fc.record({
    size: fc.constant(size),
    bad: fc.uniqueArray(index, { maxLength: 6 }),
    pairs: fc.array(fc.tuple(index, index), { maxLength: 2 }),
    tested: fc.boolean(),
  });
});

describe("a search", () => {
  test("finds exactly the bad suspects, with at most ⌈log2 n⌉ + 1 probes for each", () => {
    fc.assert(
      fc.property(cases, ({ size, bad, tested }) => {
        fc.pre(bad.length > 0 || !tested);
        const finder = search(size, { bad: new Set(bad), pairs: [] }, tested);
        if (finder.findings?.type !== "found") throw new Error("the search found nothing");
        expect(finder.findings.offenders.map(({ suspect }) => suspect)).toEqual(bad.toSorted((a, b) => a - b));
        // The first three are bad, so no probe was accepted so far: one more probe tests the proxy itself.
        const testsProxy = [0, 1, 2].every((first) => bad.includes(first));
        const probes = boundFor(size, bad.length) + (tested ? 0 : 1) + (testsProxy ? 1 : 0);
        expect(finder.probes).toBeLessThanOrEqual(probes);
      }),
      { seed, numRuns: runs(300) },
    );
  });

  test("leaves out no suspect without need, also where two are bad only together", () => {
    fc.assert(
      fc.property(cases, ({ size, bad, pairs }) => {
        const verdicts = { bad: new Set(bad), pairs: pairs.filter(([one, other]) => one !== other) };
        const { findings } = search(size, verdicts, false);
        if (findings?.type !== "found") return;
        const out = new Set(findings.offenders.map(({ suspect }) => suspect));
        const rest = new Set(Array.from({ length: size }, (_, index) => index)).difference(out);
        expect(rejects(verdicts, rest)).toBe(false);
        for (const each of out) expect(rejects(verdicts, new Set([...rest, each]))).toBe(true);
      }),
      { seed, numRuns: runs(300) },
    );
  });

  test.each([1, 2, 3, 8, 5000])("finds one of %i suspects within ⌈log2 n⌉ + 1 probes, wherever it is", (size) => {
    for (const bad of [0, 1, Math.floor(size / 2), size - 2, size - 1].filter((each) => each >= 0 && each < size)) {
      const finder = search(size, { bad: new Set([bad]), pairs: [] }, true);
      expect(finder.findings).toMatchObject({ type: "found", offenders: [{ suspect: bad }] });
      expect(finder.probes).toBeLessThanOrEqual(boundFor(size, 1));
    }
  });

  test("blames nothing on a proxy that rejects every probe", () => {
    for (const size of [1, 2, 100]) {
      const finder = new Finder(
        Array.from({ length: size }, (_, index) => index),
        "no",
      );
      let probes = 0;
      for (; finder.next !== undefined; probes++) finder.rejected("no");
      expect(finder.findings).toEqual({ type: "inconclusive" });
      expect(probes).toBeLessThanOrEqual(boundFor(size, 4));
    }
  });

  test("without suspects explains no rejection", () => {
    expect(new Finder([], "no").findings).toEqual({ type: "inconclusive" });
    expect(new Finder([], undefined).findings).toEqual({ type: "found", offenders: [] });
  });

  test("keeps the reason of the rejection in which the offender was alone with good suspects", () => {
    const finder = new Finder(["a", "b"], "all");
    expect(finder.next).toEqual(["a"]);
    finder.accepted();
    expect(finder.findings).toEqual({ type: "found", offenders: [{ suspect: "b", reason: "all" }] });
    const other = new Finder(["a", "b"], "all");
    other.rejected("only a");
    other.accepted();
    expect(other.findings).toEqual({ type: "found", offenders: [{ suspect: "a", reason: "only a" }] });
  });
});
