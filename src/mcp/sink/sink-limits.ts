import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits on one collection of a peer, over any number of messages. */
export const sinkLimits = {
  objects: {
    of: "objects of one collection",
    most: 500_000,
    unit: "count",
    why: "the same limit as for objects of one kind of Kubernetes; without a limit, a peer could fill the memory",
  },
  bytes: {
    of: "bytes of all objects of one collection, as received",
    most: 512 << 20,
    unit: "bytes",
    why: "eight messages of the largest size; each object may arrive in its own message",
  },
} as const satisfies LimitTable;
