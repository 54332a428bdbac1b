/** The shares of the proxies that have an object after each wave. The first wave is one proxy. */
const shares = [0.1, 0.5, 1];

/** How many proxies have the object after each wave, of this many proxies. */
export function waveSizes(proxies: number): readonly number[] {
  const sizes = [1, ...shares.map((share) => Math.max(1, Math.ceil(proxies * share)))];
  return [...new Set(sizes)];
}
