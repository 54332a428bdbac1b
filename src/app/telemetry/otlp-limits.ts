import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits towards an OpenTelemetry collector. No push waits for it. */
export const otlpLimits = {
  answerBytes: { of: "a response", most: 1 << 16, unit: "bytes", why: "a collector answers with a few bytes" },
  waitingSpans: {
    of: "spans that wait for the collector",
    most: 4_096,
    unit: "count",
    why: "about 4 MiB; further spans are dropped and counted",
  },
  batchSpans: { of: "spans in a request", most: 512, unit: "count", why: "a request stays below 1 MiB" },
  attempts: {
    of: "attempts for one request",
    most: 5,
    unit: "count",
    why: "the pauses between them grow from 1 s to 30 s; then its spans or data points are dropped",
  },
  flushMs: {
    of: "time for the last requests when the server stops",
    most: 3_000,
    unit: "ms",
    why: "a dead collector must not hold up the stop",
  },
} as const satisfies LimitTable;
