import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareTexts } from "../src/lib/compare.ts";
import type { Comparison } from "./compare/comparison.ts";

const folder = join(import.meta.dirname, "results");

/** The figures of one start of a server, as the kernel sees it. */
export interface StartFigures {
  readonly readyMs: number;
  readonly cpuSeconds: number;
  readonly rssMb: number;
  readonly peakMb: number;
}

export interface StartRow extends StartFigures {
  readonly mesh: string;
  readonly compiledCode: "none" | "cached";
}

/** The result of one `npm run bench -- start`. */
export interface StartResult {
  readonly type: "start";
  /** Day and time (UTC) of the run. */
  readonly date: string;
  /** The commit of the build, or `COMMIT+N` for N commits after it that had no final name yet. */
  readonly commit: string;
  readonly node: string;
  readonly cores: number;
  /** The load average before the run. Above 1, other programs disturbed it. */
  readonly loadBefore: number;
  readonly rows: readonly StartRow[];
}

export function recordStart(result: StartResult): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${result.date.slice(0, 10)}-${result.commit.slice(0, 8)}-start.json`);
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}

/** The recorded results, the oldest first. `bench -- compare --record` adds to the same folder. */
export function recordedResults(): {
  readonly starts: readonly StartResult[];
  readonly comparisons: readonly Comparison[];
} {
  const all = globSync("*.json", { cwd: folder }).toSorted();
  const results = all.map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as StartResult | Comparison);
  return {
    starts: results
      .flatMap((result) => ("type" in result ? [result] : []))
      .toSorted((a, b) => compareTexts(a.date, b.date)),
    comparisons: results.flatMap((result) => ("type" in result ? [] : [result])),
  };
}

/** A commit as people name it. */
export function shortened(commit: string): string {
  return commit.includes("+") ? commit : commit.slice(0, 8);
}
