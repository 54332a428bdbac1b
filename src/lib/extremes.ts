/**
 * The largest of the numbers; -Infinity if there are none. Unlike `Math.max(...numbers)` it has no limit on their
 * count.
 */
export function largest(numbers: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}

/** The smallest of the numbers; Infinity if there are none. */
export function smallest(numbers: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (const number of numbers) found = Math.min(found, number);
  return found;
}
