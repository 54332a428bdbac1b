import type { LimitTable } from "../../lib/bounded/limit.ts";

/** As much as a plan takes from the Envoy that `--envoy` names. */
export const envoyLimits = {
  wordsBytes: { of: "the log of one run", most: 64 * 1024, unit: "bytes", why: "the reason is in its last line" },
  runs: {
    of: "runs in one plan",
    most: 200,
    unit: "count",
    why: "one for each group of proxies, and about 15 for each refused resource",
  },
  runMs: { of: "time of one run", most: 20_000, unit: "ms", why: "Envoy judges 10 000 clusters in a few seconds" },
  allMs: { of: "time of all runs in one plan", most: 60_000, unit: "ms", why: "a user or a pipeline waits" },
} as const satisfies LimitTable;
