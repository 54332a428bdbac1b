import type { LimitTable } from "../../../lib/bounded/limit.ts";

/** Limits on data from an etcd. */
export const etcdLimits = {
  messageBytes: {
    of: "an answer, or one message of a watch, decompressed",
    most: 64 << 20,
    unit: "bytes",
    why: "a page has 250 keys; one that is larger is asked for in smaller pages, down to a single key",
  },
  keys: {
    of: "keys below the prefix",
    most: 500_000,
    unit: "count",
    why: "as many objects as are taken of a kind of Kubernetes",
  },
  pageKeys: { of: "keys of a page", most: 250, unit: "count", why: "so many are parsed before others get their turn" },
  callMs: {
    of: "a call, from its start to the last byte of its answer, unless it is a watch",
    most: 5_000,
    unit: "ms",
    why: "an etcd that takes longer is ill; of a watch `heartbeat=` of its URL says how long it may be behind",
  },
} as const satisfies LimitTable;
