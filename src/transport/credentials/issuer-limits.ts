import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits for input from an OIDC issuer: its configuration and its keys. */
export const issuerLimits = {
  answerBytes: {
    of: "an answer, decompressed",
    most: 1 << 20,
    unit: "bytes",
    why: "a key has some 500 bytes, and issuers have a handful",
  },
  answerValues: { of: "values of an answer", most: 20_000, unit: "count", why: "a key has some 10" },
  keys: { of: "keys of an issuer", most: 1_000, unit: "count", why: "each token is compared with all of them" },
  redirections: {
    of: "redirections",
    most: 0,
    unit: "count",
    why: "keys come from where the operator said",
  },
  exchangeMs: {
    of: "a question, from the call to the last byte of its answer",
    most: 5_000,
    unit: "ms",
    why: "clients wait for it; the last keys stay in use",
  },
} as const satisfies LimitTable;
