import { compareTexts } from "../../lib/compare.ts";
import { isIpAddress } from "./address.ts";

/** A name that starts with `*` matches all names with the same suffix. */
export function isWildcard(hostname: string): boolean {
  return hostname.startsWith("*");
}

/**
 * The full hostname of a short name: `reviews` in namespace `prod` is `reviews.prod.svc.cluster.local`. Names with a
 * dot, addresses and wildcards are already full.
 */
export function fullHostname(host: string, namespace: string, domain: string): string {
  if (host === "" || host.includes(".") || isWildcard(host) || isIpAddress(host)) return host;
  return domain === "" ? `${host}.${namespace}` : `${host}.${namespace}.svc.${domain}`;
}

/** True if `outer` matches every name that `inner` matches. */
export function hostnameCovers(outer: string, inner: string): boolean {
  if (outer === inner) return true;
  if (!isWildcard(outer)) return false;
  const suffix = outer.slice(1);
  return (isWildcard(inner) ? inner.slice(1) : inner).endsWith(suffix);
}

/** True if some name matches both. `*.foo.com` does not match `foo.com`; `*` matches all. */
export function hostnamesMatch(a: string, b: string): boolean {
  return hostnameCovers(a, b) || hostnameCovers(b, a);
}

/** Most specific first: names before wildcards, longer before shorter, then alphabetical. */
export function compareHostnames(a: string, b: string): number {
  if (isWildcard(a) !== isWildcard(b)) return isWildcard(a) ? 1 : -1;
  if (a.length !== b.length) return b.length - a.length;
  return compareTexts(a, b);
}

/**
 * The hosts that both lists accept: the narrower host of each overlapping pair, once, in the order of `left`. A server
 * of a gateway and a VirtualService share these hosts.
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

/** `hostname` itself, then the wildcards that cover it, most specific first. Rules are looked up in this order. */
export function* coveringPatterns(hostname: string): Generator<string> {
  yield hostname;
  const labels = hostname.split(".");
  for (let first = 1; first < labels.length; first += 1) yield `*.${labels.slice(first).join(".")}`;
  if (hostname !== "*") yield "*";
}
