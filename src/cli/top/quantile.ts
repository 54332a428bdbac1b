/**
 * A quantile of a histogram with cumulative buckets, by their upper bounds (`le`). Within a bucket it is interpolated,
 * as Prometheus does. Above the last bound it is that bound. Undefined without observations.
 */
export function quantileOf(buckets: ReadonlyMap<string, number>, share: number): number | undefined {
  const sorted = Array.from(buckets, ([le, count]) => ({ le: le === "+Inf" ? Infinity : Number(le), count })).toSorted(
    (a, b) => a.le - b.le,
  );
  const total = sorted.at(-1)?.count ?? 0;
  if (total <= 0) return undefined;
  const rank = share * total;
  const index = sorted.findIndex(({ count }) => count >= rank);
  const bucket = sorted[index];
  const below = sorted[index - 1] ?? { le: 0, count: 0 };
  if (bucket === undefined || bucket.le === Infinity) return below.le;
  const within = bucket.count - below.count;
  return within <= 0 ? bucket.le : below.le + ((bucket.le - below.le) * (rank - below.count)) / within;
}

/** The buckets of what was observed between two moments. A server that restarted begins again at 0. */
export function bucketsBetween(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const isRestarted = [...after].some(([le, count]) => count < (before.get(le) ?? 0));
  if (isRestarted) return after;
  return new Map(Array.from(after, ([le, count]) => [le, count - (before.get(le) ?? 0)]));
}
