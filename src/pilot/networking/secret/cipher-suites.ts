import { knownCurves } from "../../../config/rules/ecdh-curves.ts";

/** The cipher suites up to TLS 1.2 that Envoy supports. Envoy rejects a listener with another one. */
const known: ReadonlySet<string> = new Set([
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-SHA",
  "ECDHE-RSA-AES128-SHA",
  "ECDHE-ECDSA-AES256-SHA",
  "ECDHE-RSA-AES256-SHA",
  "AES128-GCM-SHA256",
  "AES256-GCM-SHA384",
  "AES128-SHA",
  "AES256-SHA",
]);

/** The supported suites, each once, in the given order. None uses Envoy's defaults. */
export function usableCipherSuites(asked: readonly string[]): readonly string[] {
  return [...new Set(asked)].filter((suite) => known.has(suite));
}

/** The same for curves. */
export function usableCurves(asked: readonly string[]): readonly string[] {
  return [...new Set(asked)].filter((curve) => knownCurves.includes(curve));
}
