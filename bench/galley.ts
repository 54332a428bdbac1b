import { benchTable } from "./bench-table.ts";
import { measuredApart } from "./measured-apart.ts";

/** The figures of one run: milliseconds of CPU time, which other load does not change, and megabytes. */
export interface GalleyFigures {
  readonly objects: number;
  /** From the start of the sources, with files on disk, to a snapshot of every group. */
  readonly firstSnapshotMs: number;
  /** The growth of the process, garbage included, and the part in use. */
  readonly rssMb: number;
  readonly heapMb: number;
  /** The first computation of the versions of all collections. */
  readonly versionsMs: number;
  /** From one changed object to a snapshot and the version of its collection, on average. */
  readonly changeMs: number;
}

const sizes = [1_000, 10_000, 50_000];

/** Galley, from files to snapshots. Time and memory must grow with the objects. The cost of a change must not. */
export function galley(): string {
  return benchTable(
    ["objects", "first snapshot", "per object", "RSS", "heap", "per object", "versions", "one change"],
    sizes.map((size) => row(measured(size))),
  );
}

function measured(objects: number): GalleyFigures {
  return measuredApart("galley-run.ts", [String(objects)], ["--expose-gc"]) as GalleyFigures;
}

function row({ objects, firstSnapshotMs, rssMb, heapMb, versionsMs, changeMs }: GalleyFigures): readonly string[] {
  return [
    String(objects),
    `${firstSnapshotMs.toFixed(0)} ms`,
    `${((firstSnapshotMs * 1000) / objects).toFixed(0)} µs`,
    `${rssMb.toFixed(0)} MB`,
    `${heapMb.toFixed(0)} MB`,
    `${((heapMb * 1000) / objects).toFixed(1)} kB`,
    `${versionsMs.toFixed(1)} ms`,
    `${(changeMs * 1000).toFixed(0)} µs`,
  ];
}
