import type { LimitTable } from "../lib/bounded/limit.ts";

/** Limits on the data that we accept from a Kubernetes API server. */
export const kubeLimits = {
  objectBytes: {
    of: "an answer that is no list",
    most: 16 << 20,
    unit: "bytes",
    why: "etcd keeps no object above 1.5 MiB, which may be a few times as much as JSON",
  },
  objectValues: {
    of: "values of an answer that is no list",
    most: 2_000_000,
    unit: "count",
    why: "each value costs memory, however short it is written",
  },
  listBytes: {
    of: "one page of a list",
    most: 256 << 20,
    unit: "bytes",
    why: "pages have 200 objects; but where pages expire, everything comes in one",
  },
  listValues: {
    of: "values of one page of a list",
    most: 16_000_000,
    unit: "count",
    why: "objects have a value for every 20 bytes or so",
  },
  listPages: {
    of: "pages of a list",
    most: 10_000,
    unit: "count",
    why: "2 000 000 objects in pages of 200; a server that always has one more never comes to an end",
  },
  listObjects: {
    of: "objects of a list, or of a kind that is watched",
    most: 500_000,
    unit: "count",
    why: "three times the pods of the largest cluster that Kubernetes is tested with",
  },
  eventBytes: {
    of: "one event of a watch",
    most: 16 << 20,
    unit: "bytes",
    why: "it is one object",
  },
  headMs: {
    of: "the time until an answer begins",
    most: 30_000,
    unit: "ms",
    why: "a server that has not begun by then will not",
  },
  answerMs: {
    of: "the time from there to its end, unless it is a watch",
    most: 60_000,
    unit: "ms",
    why: "one that has begun and does not come to an end has died meanwhile",
  },
  listMs: {
    of: "all pages of a list, or all that a watch tells at first",
    most: 600_000,
    unit: "ms",
    why: "API servers forget the moment of a list after five minutes",
  },
} as const satisfies LimitTable;
