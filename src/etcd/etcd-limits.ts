import type { LimitTable } from "../lib/bounded/limit.ts";

/** Limits on data from an etcd. */
export const etcdLimits = {
  messageBytes: {
    of: "a response, or one message of a watch",
    most: 64 << 20,
    unit: "bytes",
    why: "a page has 250 keys; if a page is too large, Binnacle requests smaller pages, down to one key. Compressed messages are refused",
  },
  messageFields: {
    of: "keys and other fields of a message",
    most: 500_000,
    unit: "count",
    why: "an empty key costs 2 bytes on the wire, but about 100 in memory",
  },
  keys: {
    of: "keys below the prefix",
    most: 500_000,
    unit: "count",
    why: "the same limit as for objects of one kind of Kubernetes",
  },
  pageKeys: { of: "keys per page", most: 250, unit: "count", why: "other work runs between two pages" },
  callMs: {
    of: "time from a call to the last byte of its response, except for a watch",
    most: 5_000,
    unit: "ms",
    why: "a healthy etcd responds faster; for a watch, `heartbeat=` in the URL sets the maximum delay",
  },
} as const satisfies LimitTable;
