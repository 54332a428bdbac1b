import type { IncomingHttpHeaders } from "node:http";

/** Headers that proxies add to the requests of others, beside `X-Forwarded-*`. */
const ofProxies = new Set([
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for",
  "x-envoy-external-address",
  "true-client-ip",
  "cf-connecting-ip",
]);

/**
 * Whether a request says that it was passed on for somebody else. Such a request may come over loopback from a proxy on
 * this machine and still be a stranger's, so its address proves nothing.
 */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => ofProxies.has(name) || name.startsWith("x-forwarded-"));
}
