import { hostnameCovers } from "../../config/grammar/hostname.ts";

/**
 * The names both lists accept: of each overlapping pair the narrower one, once, in the order of `left`.
 * A gateway's server and a virtual service meet in these.
 */
export function intersectHosts(left: readonly string[], right: readonly string[]): readonly string[] {
  const both = new Set<string>();
  for (const a of left) {
    for (const b of right) {
      if (hostnameCovers(b, a)) both.add(a);
      else if (hostnameCovers(a, b)) both.add(b);
    }
  }
  return [...both];
}

/** `hostname` itself, then the wildcards that cover it, most specific first: the order in which rules are looked up. */
export function* coveringPatterns(hostname: string): Generator<string> {
  yield hostname;
  const labels = hostname.split(".");
  for (let first = 1; first < labels.length; first += 1) yield `*.${labels.slice(first).join(".")}`;
  if (hostname !== "*") yield "*";
}
