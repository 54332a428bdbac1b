import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits for input from the issuers that RequestAuthentications name. Users write these URIs, so nobody vouches for them. */
export const jwksLimits = {
  answerBytes: {
    of: "a response",
    most: 1 << 20,
    unit: "bytes",
    why: "a key has about 500 bytes, and every listener with the policy contains the key set; compressed responses are refused",
  },
  answerValues: { of: "JSON values in a response", most: 20_000, unit: "count", why: "a key has about 10 values" },
  keys: { of: "keys of an issuer", most: 100, unit: "count", why: "a proxy may try all keys for each token" },
  redirections: {
    of: "redirects, all within the host of the URI",
    most: 3,
    unit: "count",
    why: "keys must come from the configured host",
  },
  exchangeMs: {
    of: "time from the name lookup to the last byte, if the rule has no `timeout`",
    most: 5_000,
    unit: "ms",
    why: "Istio's default; the last good key set stays in use",
  },
  longestMs: {
    of: "the same time, whatever `timeout` the rule has",
    most: 30_000,
    unit: "ms",
    why: "users write the rules, and fetches share few places",
  },
  concurrent: { of: "fetches at the same time", most: 10, unit: "count", why: "key sets are few and small" },
  keySets: {
    of: "key sets that are fetched",
    most: 1_000,
    unit: "count",
    why: "users write the URIs; the rules with further URIs reject all tokens",
  },
  firstWaitMs: {
    of: "time that the first push waits for the first attempts",
    most: 10_000,
    unit: "ms",
    why: "a slow issuer must not keep proxies from their configuration",
  },
} as const satisfies LimitTable;
