import type { LimitTable } from "../lib/bounded/limit.ts";

/** Limits on the data that we accept from a Kubernetes API server. */
export const kubeLimits = {
  objectBytes: {
    of: "a response that is not a list",
    most: 16 << 20,
    unit: "bytes",
    why: "etcd stores objects up to 1.5 MiB; as JSON they may be several times larger",
  },
  objectValues: {
    of: "JSON values in a response that is not a list",
    most: 2_000_000,
    unit: "count",
    why: "each value costs memory, even a short one",
  },
  listBytes: {
    of: "one page of a list",
    most: 256 << 20,
    unit: "bytes",
    why: "a page has 200 objects; if pages expire, the whole list arrives in one page",
  },
  listValues: {
    of: "JSON values in one page of a list",
    most: 16_000_000,
    unit: "count",
    why: "objects have about one value per 20 bytes",
  },
  listPages: {
    of: "pages of a list",
    most: 10_000,
    unit: "count",
    why: "enough for 2 000 000 objects in pages of 200; without a limit, a faulty server could send pages forever",
  },
  listObjects: {
    of: "objects of one list, or of one watched kind",
    most: 500_000,
    unit: "count",
    why: "three times the pods of the largest cluster that Kubernetes supports",
  },
  eventBytes: {
    of: "one event of a watch",
    most: 16 << 20,
    unit: "bytes",
    why: "an event contains one object",
  },
  headMs: {
    of: "time until a response begins",
    most: 30_000,
    unit: "ms",
    why: "a server that is silent for longer is unlikely to respond",
  },
  answerMs: {
    of: "time from the start to the end of a response, except for a watch",
    most: 60_000,
    unit: "ms",
    why: "a response that takes longer is stuck",
  },
  listMs: {
    of: "time for all pages of a list, or for the initial events of a watch",
    most: 600_000,
    unit: "ms",
    why: "API servers expire the snapshot of a list after five minutes",
  },
} as const satisfies LimitTable;
