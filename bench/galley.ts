import { measuredApart } from "./measured-apart.ts";
import { table } from "./table.ts";

/** What one run says of itself: milliseconds of the processor, which a busy machine does not change, and megabytes. */
export interface GalleyFigures {
  readonly objects: number;
  /** From the start of the sources, files on disk, to a snapshot of every group. */
  readonly firstSnapshotMs: number;
  /** What the process grew by, room for garbage included, and what of it is in use. */
  readonly rssMb: number;
  readonly heapMb: number;
  /** The versions of all collections, asked for the first time. */
  readonly versionsMs: number;
  /** One changed object to a snapshot and the version of its collection, on average. */
  readonly changeMs: number;
}

const sizes = [1_000, 10_000, 50_000];

/** Galley, from files to snapshots: time and memory must grow with the objects, a change must not notice them. */
export function galley(): string {
  return table(
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
