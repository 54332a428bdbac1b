/** Each count as a whole number of a hundred, such that all of them together are 100; zeros while nothing was counted. */
export function percentages(counts: readonly number[]): readonly number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return counts.map(() => 0);
  const exact = counts.map((count) => (count * 100) / total);
  const missing = 100 - exact.reduce((sum, share) => sum + Math.floor(share), 0);
  const byRemainder = exact.map((_, index) => index).toSorted((a, b) => remainder(exact[b]) - remainder(exact[a]));
  const roundedUp = new Set(byRemainder.slice(0, missing));
  return exact.map((share, index) => Math.floor(share) + (roundedUp.has(index) ? 1 : 0));
}

function remainder(share = 0): number {
  return share - Math.floor(share);
}
