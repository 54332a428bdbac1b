/** Consecutive pushes, by their numbers. */
export interface PushRange {
  readonly first: number;
  readonly last: number;
}

/** A set of pushes: disjoint ranges in ascending order. A client that lags is owed thousands of pushes in one range. */
export type PushSet = readonly PushRange[];

export const noPushes: PushSet = [];

/** The smallest range that contains both. */
export function spanOf(a: PushRange | undefined, b: PushRange): PushRange {
  return a === undefined ? b : { first: Math.min(a.first, b.first), last: Math.max(a.last, b.last) };
}

export function unionOf(ranges: readonly PushRange[]): PushSet {
  if (ranges.length < 2) return ranges;
  const union: PushRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const previous = union.at(-1);
    if (previous === undefined || range.first > previous.last + 1) union.push(range);
    else union[union.length - 1] = spanOf(previous, range);
  }
  return union;
}

/** The pushes of both. Makes no set if one is empty, or if both are one range: mostly they are. */
export function plus(a: PushSet, b: PushSet): PushSet {
  if (a.length === 0) return b;
  return b.length === 0 || isOneRange(a, b) ? a : unionOf([...a, ...b]);
}

function isOneRange(a: PushSet, b: PushSet): boolean {
  const [[one, ...more], [other, ...rest]] = [a, b];
  return more.length + rest.length === 0 && one?.first === other?.first && one?.last === other?.last;
}

/** The pushes of `a` that are in `b`, too. */
export function commonOf(a: PushSet, b: PushSet): PushSet {
  if (a.length === 0 || b.length === 0) return noPushes;
  return a.flatMap(({ first, last }) =>
    b.flatMap((other) => ifAny({ first: Math.max(first, other.first), last: Math.min(last, other.last) })),
  );
}

/** The pushes of `a` that are not in `b`. */
export function without(a: PushSet, b: PushSet): PushSet {
  if (a.length === 0 || b.length === 0) return a;
  return b.reduce<PushSet>(
    (rest, hole) =>
      rest.flatMap(({ first, last }) => [
        ...ifAny({ first, last: Math.min(last, hole.first - 1) }),
        ...ifAny({ first: Math.max(first, hole.last + 1), last }),
      ]),
    a,
  );
}

function ifAny(range: PushRange): PushSet {
  return range.first <= range.last ? [range] : noPushes;
}
