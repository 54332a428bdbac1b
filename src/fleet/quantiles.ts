/** The distribution of measured times, in milliseconds. */
export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => rounded(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Rounds to a tenth of a millisecond. More digits would be noise. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
