import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";
import type { Memory } from "../../lib/overload/pressure.ts";
import { nodeFlags } from "../process/node-flags.ts";

const mib = 2 ** 20;
/** The young generation has three spaces of this size, where no flag sets another. */
const semiSpaceMib = 64;
/** Without a flag, in a container or a small machine, they have at most this share of the old generation each. */
const semiSpaceShare = 1 / 32;
/** The share of the old generation where only the size of the whole heap is set. */
const oldShare = 0.75;

/**
 * The old generation of the heap. A process ends when this generation is full, not when the whole heap is: young
 * objects have a reserve of their own.
 */
export function oldGeneration(flags: readonly string[] = nodeFlags()): Memory {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith("new_"));
  const usedBytes = spaces.reduce((sum, { space_used_size: used }) => sum + used, 0);
  return { usedBytes, limitBytes: oldLimitOf(getHeapStatistics().heap_size_limit, flags) };
}

export function oldLimitOf(heapLimitBytes: number, flags: readonly string[]): number {
  const semiSpace = valueOf(flags, "max-semi-space-size") ?? semiSpaceMib;
  const isWholeHeapSet = valueOf(flags, "max-heap-size") !== undefined;
  if (isWholeHeapSet) return heapLimitBytes * oldShare;
  const atLargeSpaces = heapLimitBytes - 3 * semiSpace * mib;
  const isPartSet = ["max-old-space-size", "max-semi-space-size"].some((name) => valueOf(flags, name) !== undefined);
  return Math.max(atLargeSpaces, heapLimitBytes / (isPartSet ? 4 : 1 + 3 * semiSpaceShare));
}

function valueOf(flags: readonly string[], name: string): number | undefined {
  const pattern = new RegExp(`^--${name.replaceAll("-", "[-_]")}=(\\d+)$`, "u");
  const values = flags.flatMap((flag) => pattern.exec(flag)?.[1] ?? []);
  return values.length === 0 ? undefined : Number(values.at(-1));
}
