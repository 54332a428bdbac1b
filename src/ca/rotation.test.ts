import { describe, expect, test } from "vitest";
import { Sealed } from "../lib/sealed.ts";
import type { Authority, Roots } from "./roots.ts";
import {
  beginRotation,
  cancelRotation,
  duePhase,
  firstRoots,
  nextPhase,
  recordTtl,
  rotationDueAt,
  rotationTimes,
} from "./rotation.ts";

function authority(root: string): Authority {
  return { certificate: root, key: new Sealed(""), chain: [], root };
}

const hour = 3_600_000;
/** Clients may ask for 90 days, but none does. */
const times = rotationTimes(90 * 24 * hour, 24 * hour);

/** The parts of the roots that a workload notices. */
function seen(roots: Roots | undefined) {
  return roots && [roots.phase, roots.signing.root, roots.trusted];
}

function begun(): Roots {
  return rotated(firstRoots(authority("old"), times, 0));
}

function rotated(steady: Roots): Roots {
  const roots = beginRotation(steady, authority("new"), 0);
  if (roots === undefined) throw new Error("a steady mesh can begin a rotation");
  return roots;
}

/** When each phase begins, if every step is taken in time. */
function phasesFrom(begin: Roots, change: (roots: Roots) => Roots = (roots) => roots): readonly string[] {
  const since: string[] = [];
  let roots = begin;
  for (let now = 0; roots.phase !== "steady"; now += 60_000) {
    const due = duePhase(roots, times, now);
    if (due === undefined) continue;
    since.push(`${due.phase} after ${(now / hour).toFixed(1)} h`);
    roots = change(due);
  }
  return since;
}

/** The roots after a client asked for a certificate of this life. */
function issued(roots: Roots, ttlMs: number): Roots {
  return recordTtl(roots, ttlMs, times) ?? roots;
}

describe("a rotation", () => {
  test("distributes the new root, then signs with it, then retires the old root", () => {
    const story: unknown[] = [];
    for (let roots: Roots | undefined = begun(); roots !== undefined; roots = nextPhase(roots, times, 0))
      story.push(seen(roots));
    expect(story).toEqual([
      ["distribute", "old", ["old", "new"]],
      ["sign", "new", ["old", "new"]],
      ["retire", "new", ["old", "new"]],
      ["steady", "new", ["new"]],
    ]);
  });

  test("enters a phase only after the time of the phase before", () => {
    expect(phasesFrom(begun())).toEqual(["sign after 24.4 h", "retire after 24.7 h", "steady after 48.7 h"]);
  });

  test("waits for the longest certificate that was signed before it", () => {
    const steady = firstRoots(authority("old"), times, 0);
    expect(phasesFrom(rotated(issued(steady, 50 * hour)))).toEqual([
      "sign after 100.3 h",
      "retire after 100.7 h",
      "steady after 200.7 h",
    ]);
    expect(phasesFrom(rotated(issued(issued(steady, 80 * hour), 1 * hour))).at(-1)).toBe("steady after 320.7 h");
  });

  test("waits only at its end for a long certificate that was signed during it", () => {
    const longer = issued(begun(), 40 * hour);
    expect(phasesFrom(longer)).toEqual(["sign after 24.4 h", "retire after 24.7 h", "steady after 104.7 h"]);
    const byTheNewRoot = (roots: Roots) => (roots.phase === "sign" ? issued(roots, 40 * hour) : roots);
    expect(phasesFrom(begun(), byTheNewRoot).at(-1)).toBe("steady after 48.7 h");
  });

  test("of an authority that others used waits for the longest life that a client can get", () => {
    const { longestTtlMs: _, ...foreign } = firstRoots(authority("old"), times, 0);
    expect(issued(foreign, 80 * hour)).toBe(foreign);
    expect(phasesFrom(rotated(foreign)).at(-1)).toBe("steady after 4320.7 h");
  });

  test("starts only in a steady mesh", () => {
    expect(beginRotation(begun(), authority("third"), 0)).toBeUndefined();
  });

  test("can be cancelled until the new authority signs", () => {
    expect(cancelRotation(issued(begun(), 40 * hour), 0)).toEqual(
      issued(firstRoots(authority("old"), times, 0), 40 * hour),
    );
    const signing = nextPhase(begun(), times, 0);
    expect(signing && cancelRotation(signing, 0)).toBeUndefined();
  });
});

describe("a longer life of certificates", () => {
  const steady = firstRoots(authority("old"), times, 0);

  test("is recorded as twice that life, so that few requests need a write", () => {
    expect(recordTtl(steady, 24 * hour, times)).toBeUndefined();
    expect(recordTtl(steady, 25 * hour, times)?.longestTtlMs).toBe(50 * hour);
  });

  test("is recorded with at most the longest life that clients may have, and with at least its own", () => {
    expect(recordTtl(steady, 80 * 24 * hour, times)?.longestTtlMs).toBe(90 * 24 * hour);
    expect(recordTtl(steady, 91 * 24 * hour, times)?.longestTtlMs).toBe(91 * 24 * hour);
  });
});

describe("a root is replaced", () => {
  const steady = firstRoots(authority("old"), times, 0);
  const day = 24 * hour;
  const dueDay = (days: number) =>
    rotationDueAt({ notBefore: 10 * day, notAfter: (10 + days) * day }, steady, times) / day;

  test("after 80 % of its life", () => expect(dueDay(3_650)).toBe(10 + 2_920));

  test("earlier if the rotation takes a large part of the rest", () => expect(dueDay(15)).toBeCloseTo(10 + 10.9, 0));

  test("never in the first half of its life", () => expect(dueDay(2)).toBe(11));
});
