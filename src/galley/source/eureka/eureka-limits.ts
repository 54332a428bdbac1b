import type { LimitTable } from "../../../lib/bounded/limit.ts";

/** Limits on data from a Eureka server. */
export const eurekaLimits = {
  answerBytes: {
    of: "an answer, decompressed",
    most: 64 << 20,
    unit: "bytes",
    why: "10 000 instances are some 20 MB of JSON; `max-answer=` of its URL sets another",
  },
  answerValues: {
    of: "values of an answer",
    most: 4_000_000,
    unit: "count",
    why: "an instance has some 50, and each value costs memory, however short it is written",
  },
  instances: {
    of: "instances of the registry",
    most: 100_000,
    unit: "count",
    why: "ten times the largest registry that is heard of; each becomes an endpoint",
  },
  redirections: {
    of: "redirections of one question",
    most: 20,
    unit: "count",
    why: "the limit of Node's `fetch`",
  },
  exchangeMs: {
    of: "a question, from the call to the last byte of its answer",
    most: 30_000,
    unit: "ms",
    why: "as long as between two questions; `timeout=` of its URL sets another",
  },
} as const satisfies LimitTable;
