/** How many of the measured times are at most this long, and longer than the bar before. */
export interface Bar {
  readonly upToMs: number;
  readonly count: number;
}

/** Enough for a picture of a distribution. */
const steps = [1, 2, 5];

/** Bars of 1, 2, 5, 10, … milliseconds, from the first to the last that has a time. */
export function histogramOf(times: readonly number[]): readonly Bar[] {
  const counts = new Map<number, number>();
  for (const time of times) counts.set(boundOf(time), (counts.get(boundOf(time)) ?? 0) + 1);
  const bounds = [...counts.keys()].toSorted((a, b) => a - b);
  const [first, last] = [bounds[0], bounds.at(-1)];
  const bars: Bar[] = [];
  if (first === undefined || last === undefined) return bars;
  for (let bound = first; bound <= last; bound = next(bound))
    bars.push({ upToMs: bound, count: counts.get(bound) ?? 0 });
  return bars;
}

function boundOf(time: number): number {
  let bound = 1;
  while (bound < time) bound = next(bound);
  return bound;
}

function next(bound: number): number {
  const power = 10 ** Math.floor(Math.log10(bound));
  const step = steps.find((each) => each * power > bound);
  return step === undefined ? 10 * power : step * power;
}
