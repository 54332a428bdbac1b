import type { LimitTable } from "../../lib/bounded/limit.ts";

/** As much as commands take from the server that `--server` names. */
export const pageLimits = {
  answerBytes: {
    of: "a page, after decompression",
    most: 256 << 20,
    unit: "bytes",
    why: "the configuration of one proxy in a mesh with 10 000 services is below 100 MB",
  },
  answerValues: {
    of: "JSON values in a page",
    most: 16_000_000,
    unit: "count",
    why: "the same limit as for lists of Kubernetes",
  },
  refusalBytes: { of: "an error page", most: 1 << 20, unit: "bytes", why: "the text is for people" },
  redirections: { of: "redirects", most: 20, unit: "count", why: "the limit of Node's `fetch`" },
  silenceMs: {
    of: "silence of the live events that `--watch` follows",
    most: 45_000,
    unit: "ms",
    why: "the server sends a comment every 15 s",
  },
  exchangeMs: {
    of: "time from a request to the last byte of its response",
    most: 10_000,
    unit: "ms",
    why: "the server responds from memory, and a user waits",
  },
} as const satisfies LimitTable;
