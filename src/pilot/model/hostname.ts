import { compareTexts } from "./order.ts";

/** Host names as users write them: full names, `*.suffix`, or `*`. All comparisons expect lower case. */

export function isWildcard(hostname: string): boolean {
  return hostname.startsWith("*");
}

/** Every name that `hostname` stands for is also covered by `pattern`. `*.a.b` does not cover `a.b`. */
export function isCoveredBy(hostname: string, pattern: string): boolean {
  if (hostname === pattern) return true;
  if (!isWildcard(pattern)) return false;
  const suffix = pattern.slice(1);
  const name = isWildcard(hostname) ? hostname.slice(1) : hostname;
  return name.endsWith(suffix) && (name.length > suffix.length || suffix === "");
}

/**
 * The names both lists accept: of each overlapping pair the narrower one, once, in the order of `left`.
 * A gateway's server and a virtual service meet in these.
 */
export function intersectHosts(left: readonly string[], right: readonly string[]): readonly string[] {
  const both = new Set<string>();
  for (const a of left) {
    for (const b of right) {
      if (isCoveredBy(a, b)) both.add(a);
      else if (isCoveredBy(b, a)) both.add(b);
    }
  }
  return [...both];
}

/** Most specific first: names before wildcards, longer before shorter, then by alphabet. */
export function compareSpecificity(a: string, b: string): number {
  if (isWildcard(a) !== isWildcard(b)) return isWildcard(a) ? 1 : -1;
  return b.length - a.length || compareTexts(a, b);
}

/** `hostname` itself, then the wildcards that cover it, most specific first: the order in which rules are looked up. */
export function* coveringPatterns(hostname: string): Generator<string> {
  yield hostname;
  const labels = hostname.split(".");
  for (let first = 1; first < labels.length; first += 1) yield `*.${labels.slice(first).join(".")}`;
  if (hostname !== "*") yield "*";
}
