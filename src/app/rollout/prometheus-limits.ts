import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits towards the Prometheus that decides about waves. A question without an answer in time is one without data. */
export const prometheusLimits = {
  answerBytes: { of: "an answer", most: 1 << 20, unit: "bytes", why: "a sample has about 100 bytes" },
  answerValues: { of: "JSON values in an answer", most: 20_000, unit: "count", why: "a sample has about 10 values" },
  samples: { of: "samples in an answer", most: 1_000, unit: "count", why: "a query for a decision aggregates" },
  exchangeMs: { of: "time to the last byte", most: 5_000, unit: "ms", why: "the next question is due then" },
} as const satisfies LimitTable;
