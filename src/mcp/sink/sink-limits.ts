import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits on one collection of a peer, over any number of messages. */
export const sinkLimits = {
  objects: {
    of: "objects of one collection",
    most: 500_000,
    unit: "count",
    why: "as many as are taken of a kind of Kubernetes; a peer that adds for ever would fill our memory",
  },
  bytes: {
    of: "all objects of one collection, as they came",
    most: 512 << 20,
    unit: "bytes",
    why: "eight messages of the largest size; each object may come in a message of its own",
  },
} as const satisfies LimitTable;
