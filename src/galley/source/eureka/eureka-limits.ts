import type { LimitTable } from "../../../lib/bounded/limit.ts";

/** Limits on data from a Eureka server. */
export const eurekaLimits = {
  answerBytes: {
    of: "a response, after decompression",
    most: 64 << 20,
    unit: "bytes",
    why: "10 000 instances are about 20 MB of JSON; `max-answer=` in the URL changes the limit",
  },
  answerValues: {
    of: "JSON values in a response",
    most: 4_000_000,
    unit: "count",
    why: "an instance has about 50 values; each value costs memory, even a short one",
  },
  instances: {
    of: "instances of the registry",
    most: 100_000,
    unit: "count",
    why: "ten times the largest known registry; each instance becomes an endpoint",
  },
  redirections: {
    of: "redirects per request",
    most: 20,
    unit: "count",
    why: "the limit of Node's `fetch`",
  },
  exchangeMs: {
    of: "time from a request to the last byte of its response",
    most: 30_000,
    unit: "ms",
    why: "the interval between two requests; `timeout=` in the URL changes the limit",
  },
} as const satisfies LimitTable;
