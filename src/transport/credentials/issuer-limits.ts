import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits for input from an OIDC issuer: its configuration and its keys. */
export const issuerLimits = {
  answerBytes: {
    of: "a response, after decompression",
    most: 1 << 20,
    unit: "bytes",
    why: "a key has about 500 bytes, and an issuer has few keys",
  },
  answerValues: { of: "JSON values in a response", most: 20_000, unit: "count", why: "a key has about 10 values" },
  keys: { of: "keys of an issuer", most: 1_000, unit: "count", why: "each token may be checked against all keys" },
  redirections: {
    of: "redirects",
    most: 0,
    unit: "count",
    why: "keys must come from the configured address",
  },
  exchangeMs: {
    of: "time from a request to the last byte of its response",
    most: 5_000,
    unit: "ms",
    why: "clients wait for the keys; the last keys stay in use",
  },
} as const satisfies LimitTable;
