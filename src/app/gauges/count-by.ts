/** `always` are counted even when there are none, so that a graph shows zero and not a gap. */
export function countBy<T>(
  values: Iterable<T>,
  keyOf: (value: T) => string,
  always: readonly string[] = [],
): readonly (readonly [key: string, count: number])[] {
  const counts = new Map(always.map((key) => [key, 0]));
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1);
  return [...counts];
}
