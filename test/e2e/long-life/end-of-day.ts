import type { LiveCounts } from "./census.ts";

/** The remains of a day, after all objects were deleted, all proxies left, and garbage was collected. */
export interface EndOfDay {
  /** Objects and buffers. */
  readonly heapKb: number;
  /** Pending timers. */
  readonly timers: number;
  readonly connections: number;
  /** Parts of the catalogue. */
  readonly parts: number;
  /** Only after the second day, when caches are full, and after the last. */
  readonly live?: LiveCounts;
  /** Edits and pods since the start. */
  readonly edits: number;
  readonly pods: number;
  /** Failed derivations and generators. */
  readonly problems: number;
  /** Different messages of the level error. */
  readonly errors: readonly string[];
}

/** The growth of the heap per day in kB, by linear regression. */
export function heapSlope(days: readonly Pick<EndOfDay, "heapKb">[]): number {
  const middle = (days.length - 1) / 2;
  const mean = days.reduce((sum, { heapKb }) => sum + heapKb, 0) / days.length;
  const rise = days.reduce((sum, { heapKb }, day) => sum + (day - middle) * (heapKb - mean), 0);
  const run = days.reduce((sum, _, day) => sum + (day - middle) ** 2, 0);
  return rise / run;
}
