import type { LimitTable } from "../../../lib/bounded/limit.ts";

/** Limits on data from ZooKeeper. The time limit of answers follows from the session timeout. */
export const zooKeeperLimits = {
  answerBytes: {
    of: "a response: the data of a node, or the names of its children",
    most: 16 << 20,
    unit: "bytes",
    why: "Java servers and clients stop at 1 MiB, unless `jute.maxbuffer` is larger",
  },
  children: {
    of: "children of a node",
    most: 100_000,
    unit: "count",
    why: "each child may become a node that Binnacle reads and watches",
  },
  nodes: {
    of: "nodes that Binnacle watches",
    most: 500_000,
    unit: "count",
    why: "directories may be nested without end",
  },
  dialMs: {
    of: "time to connect to a server, including TLS and the beginning of the session",
    most: 2_000,
    unit: "ms",
    why: "the next server is tried after it",
  },
  silenceMs: {
    of: "time without a response",
    most: 20_000,
    unit: "ms",
    why: "two thirds of `session-timeout=`; after the full time, servers end the session",
  },
} as const satisfies LimitTable;
