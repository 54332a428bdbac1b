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
