import type { Seams } from "../../../src/testing/galley/galley-rig.ts";
import type { GalleyPromise } from "../../../src/testing/galley/snapshot-checker.ts";
import { inattentive, lastWins, syncedTogether, tightLipped, unbatched, untracked } from "./graph-faults.ts";
import { counted, deafWhilePending, lagging, live, twice } from "./publication-faults.ts";
import { buffering, emptiedByReset, isNo, outOfOrder, saying, syncedEarly } from "./source-faults.ts";
import { blocking } from "./transform-faults.ts";

/** A mistake that an implementation could make, and the promise that it breaks. */
export interface GalleyFault {
  readonly name: string;
  readonly breaks: GalleyPromise;
  readonly seams: () => Seams;
}

/** Each is planted afresh for every story: some remember. */
export const faults: readonly GalleyFault[] = [
  { name: "deletions are dropped", breaks: "truth", seams: () => saying((e) => e.filter(isNo("deleted"))) },
  { name: "resets are dropped", breaks: "truth", seams: () => saying((e) => e.filter(isNo("reset"))) },
  { name: "an object's events come out of order", breaks: "truth", seams: () => saying(outOfOrder()) },
  { name: "full sync comes with the first object", breaks: "patience", seams: () => saying(syncedEarly) },
  { name: "a reset empties the source at once", breaks: "wholeness", seams: () => saying(emptiedByReset) },
  { name: "events of a stopped source are kept for later", breaks: "silence", seams: () => ({ source: buffering }) },
  { name: "one full sync counts for all sources", breaks: "patience", seams: () => ({ graph: syncedTogether }) },
  { name: "the last source wins a name", breaks: "truth", seams: () => ({ graph: lastWins }) },
  { name: "a batch is applied piece by piece", breaks: "wholeness", seams: () => ({ graph: unbatched }) },
  { name: "a derivation's reads are not tracked", breaks: "instant", seams: () => ({ graph: untracked }) },
  { name: "a commit is missed now and then", breaks: "truth", seams: () => ({ graph: inattentive }) },
  { name: "failures are not listed", breaks: "problems", seams: () => ({ graph: tightLipped }) },
  { name: "one poisoned object blocks the others", breaks: "instant", seams: () => ({ transforms: blocking }) },
  { name: "one collection lags behind", breaks: "wholeness", seams: () => ({ publication: lagging }) },
  { name: "snapshots are not copies", breaks: "permanence", seams: () => ({ publication: live }) },
  { name: "versions count", breaks: "truth", seams: () => ({ publication: counted }) },
  { name: "everything is published twice", breaks: "novelty", seams: () => ({ publication: twice }) },
  { name: "changes during a pause are lost", breaks: "truth", seams: () => ({ publication: deafWhilePending }) },
];
