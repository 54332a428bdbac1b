import type { IncomingHttpHeaders } from "node:http";

/** Headers that proxies add to forwarded requests, beside `X-Forwarded-*`. */
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
 * Whether the headers show that a proxy forwarded the request. A proxy on this machine may forward a remote client's
 * request over loopback. So a loopback address proves nothing for such a request.
 */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => ofProxies.has(name) || name.startsWith("x-forwarded-"));
}
