import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { nodeFlags } from "./node-flags.ts";

const mib = 2 ** 20;
/** The young generation has two spaces of this size. */
const semiSpaceMib = 4;
/** Of eight bytes each. An array of this length is a small part of a space. */
const arrayLength = 2_048;
const mostArrays = 400;
/** How much the heap of a running server grows between two full collections. */
const growthPercent = 30;

/**
 * Keeps the young generation at 8 MB. V8 lets it grow to 128 MB while a server starts, and never gives that back. Most of
 * what is young then stays, so that larger spaces save no time: objects are only copied once more.
 *
 * V8 reads the maximum before this code runs. But it reads the growth each time: it grows the spaces once, when much of
 * their content survives, and not again. Takes a few milliseconds.
 */
export function boundYoungGeneration(): void {
  if (!isSet("semi-space")) growYoungGeneration();
}

/**
 * Gives the young generation its size back whenever V8 has shrunk it, which it does while a server has little to do.
 * Otherwise it would stay at 2 MB: a server that thousands of proxies reach after a quiet time would collect four times
 * as often, and take young objects for old ones.
 */
export function keepYoungGeneration(): void {
  if (isSet("semi-space")) return;
  new PerformanceObserver(growYoungGeneration).observe({ entryTypes: ["gc"] });
}

function growYoungGeneration(): void {
  const wanted = 2 * semiSpaceMib * mib;
  const present = youngBytes();
  if (present >= wanted) return;
  setFlagsFromString(`--semi-space-growth-factor=${Math.min(semiSpaceMib, Math.ceil(wanted / present))}`);
  const survivors: unknown[] = [];
  while (youngBytes() < wanted && survivors.length < mostArrays) {
    survivors.push(Array.from({ length: arrayLength }, () => 0));
  }
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Lets a full collection come before the heap has grown by a third. Otherwise V8 waits until it is up to four times as large.
 * For a server that has started: during the start, almost nothing is garbage.
 */
export function collectEarly(): void {
  if (!isSet("heap-growing-percent")) setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}

function youngBytes(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ??
    Number.POSITIVE_INFINITY
  );
}

function isSet(part: string): boolean {
  return nodeFlags().some((flag) => flag.replaceAll("_", "-").includes(part));
}
