/** One run of one tier. */
export interface TierRun {
  readonly tier: string;
  readonly seed: string;
  /** Whether something else kept all cores busy meanwhile. */
  readonly busy: boolean;
  readonly seconds: number;
  readonly passed: number;
  /** `FILE > TITLE`, or a sentence where no test can be named. */
  readonly failures: readonly string[];
}

/** A line per tier, quiet and busy, then each failure with the seeds it was seen with, and the closing line. */
export function summaryLines(runs: readonly TierRun[]): string[] {
  const groups = Map.groupBy(runs, ({ tier, busy }) => `${tier.padEnd(10)} ${busy ? "busy " : "quiet"}`);
  const rows = Array.from(groups, ([name, group]) => {
    const failed = group.filter(({ failures }) => failures.length > 0).length;
    const longest = group.reduce((most, { seconds }) => Math.max(most, seconds), 0);
    const times = `${group.length} ${group.length === 1 ? "run" : "runs"}`;
    return `${name} ${times.padStart(7)} ${String(failed).padStart(3)} failed, the longest took ${Math.round(longest)} s`;
  });
  const seen = Map.groupBy(
    runs.flatMap(({ failures, ...run }) => failures.map((failure) => ({ ...run, failure }))),
    ({ failure }) => failure,
  );
  const failures = Array.from(seen, ([failure, times]) => {
    const how = times.map(({ tier, busy, seed }) => `${tier}, ${busy ? "busy" : "quiet"}, BINNACLE_SEED=${seed}`);
    return `failed: ${failure} (${how.join("; ")})`;
  });
  const failed = runs.filter((run) => run.failures.length > 0).length;
  return [...rows, ...failures, `${runs.length} runs, ${failed} failed`];
}
