import { compareTexts } from "../../lib/compare.ts";
import { isIpAddress } from "./address.ts";

/** Any name that starts with `*` stands for all names with the rest as their end. */
export function isWildcard(hostname: string): boolean {
  return hostname.startsWith("*");
}

/**
 * The full name of a host that may be written short: `reviews` in namespace `prod` is
 * `reviews.prod.svc.cluster.local`. Names with a dot, addresses and wildcards are full already.
 */
export function fullHostname(host: string, namespace: string, domain: string): string {
  if (host === "" || host.includes(".") || isWildcard(host) || isIpAddress(host)) return host;
  return domain === "" ? `${host}.${namespace}` : `${host}.${namespace}.svc.${domain}`;
}

/** True when every name that `inner` stands for is also one that `outer` stands for. */
export function hostnameCovers(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  if (!isWildcard(outer)) return false;
  const suffix = outer.slice(1);
  return (isWildcard(inner) ? inner.slice(1) : inner).endsWith(suffix);
}

/** True when some name could be meant by both. `*.foo.com` does not match `foo.com`; `*` matches all. */
export function hostnamesMatch(a: string, b: string): boolean {
  return hostnameCovers(a, b) || hostnameCovers(b, a);
}

/** Most specific first: names before wildcards, longer before shorter, then by the alphabet. */
export function compareHostnames(a: string, b: string): number {
  if (isWildcard(a) !== isWildcard(b)) return isWildcard(a) ? 1 : -1;
  if (a.length !== b.length) return b.length - a.length;
  return compareTexts(a, b);
}

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
