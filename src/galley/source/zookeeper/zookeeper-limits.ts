import type { LimitTable } from "../../../lib/bounded/limit.ts";

/** Limits on data from ZooKeeper. The time limit of answers follows from the session timeout. */
export const zooKeeperLimits = {
  answerBytes: {
    of: "an answer: the data of a node, or the names of its children",
    most: 16 << 20,
    unit: "bytes",
    why: "servers and clients in Java stop at 1 MiB, unless `jute.maxbuffer` says otherwise",
  },
  children: {
    of: "children of a node",
    most: 100_000,
    unit: "count",
    why: "each may become a node that is read and watched",
  },
  nodes: { of: "nodes that are followed", most: 500_000, unit: "count", why: "folders may lie in folders without end" },
  silenceMs: {
    of: "the time without an answer",
    most: 20_000,
    unit: "ms",
    why: "two thirds of `session-timeout=`, after which servers give a session up",
  },
} as const satisfies LimitTable;
