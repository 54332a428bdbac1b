import type { LimitTable } from "../../lib/bounded/limit.ts";

/** As much as commands take from the server that `--server` names. */
export const pageLimits = {
  answerBytes: {
    of: "a page, decompressed",
    most: 256 << 20,
    unit: "bytes",
    why: "all that one proxy has of a mesh of 10 000 services is below 100 MB",
  },
  answerValues: { of: "values of a page", most: 16_000_000, unit: "count", why: "as in lists of Kubernetes" },
  refusalBytes: { of: "a page that says why there is none", most: 1 << 20, unit: "bytes", why: "a person reads it" },
  redirections: { of: "redirections", most: 20, unit: "count", why: "the limit of Node's `fetch`" },
  exchangeMs: {
    of: "a question, from the call to the last byte of its answer",
    most: 10_000,
    unit: "ms",
    why: "pages are answered from memory, and somebody waits",
  },
} as const satisfies LimitTable;
