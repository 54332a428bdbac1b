import { describe, expect, test } from "vitest";
import { Sealed } from "../lib/sealed.ts";
import type { Authority, Roots } from "./roots.ts";
import { beginRotation, cancelRotation, duePhase, firstRoots, nextPhase, rotationTimes } from "./rotation.ts";

function authority(root: string): Authority {
  return { certificate: root, key: new Sealed(""), chain: [], root };
}

const hour = 3_600_000;
const times = rotationTimes(24 * hour);

/** The parts of the roots that a workload notices. */
function seen(roots: Roots | undefined) {
  return roots && [roots.phase, roots.signing.root, roots.trusted];
}

function begun(): Roots {
  const roots = beginRotation(firstRoots(authority("old"), 0), authority("new"), 0);
  if (roots === undefined) throw new Error("a steady mesh can begin a rotation");
  return roots;
}

describe("a rotation", () => {
  test("distributes the new root, then signs with it, then retires the old root", () => {
    const story: unknown[] = [];
    for (let roots: Roots | undefined = begun(); roots !== undefined; roots = nextPhase(roots, 0))
      story.push(seen(roots));
    expect(story).toEqual([
      ["distribute", "old", ["old", "new"]],
      ["sign", "new", ["old", "new"]],
      ["retire", "new", ["old", "new"]],
      ["steady", "new", ["new"]],
    ]);
  });

  test("enters a phase only after the time of the phase before", () => {
    const since: string[] = [];
    let roots = begun();
    for (let now = 0; roots.phase !== "steady"; now += 60_000) {
      const due = duePhase(roots, times, now);
      if (due === undefined) continue;
      since.push(`${due.phase} after ${(now / hour).toFixed(1)} h`);
      roots = due;
    }
    expect(since).toEqual(["sign after 24.4 h", "retire after 24.7 h", "steady after 48.7 h"]);
  });

  test("starts only in a steady mesh", () => {
    expect(beginRotation(begun(), authority("third"), 0)).toBeUndefined();
  });

  test("can be cancelled until the new authority signs", () => {
    expect(seen(cancelRotation(begun(), 0))).toEqual(["steady", "old", ["old"]]);
    const signing = nextPhase(begun(), 0);
    expect(signing && cancelRotation(signing, 0)).toBeUndefined();
  });
});
