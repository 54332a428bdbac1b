import type { LimitTable } from "../lib/bounded/limit.ts";

/** Limits for input from xDS and MCP clients, and for the part of their messages that is kept. */
export const xdsLimits = {
  nodeBytes: {
    of: "the node of an xDS client",
    most: 256 << 10,
    unit: "bytes",
    why: "an Envoy's has some 61 kB; decoded it may take a hundred times its bytes. `--max-node-bytes` sets another",
  },
  names: {
    of: "names of one type that a stream asks for",
    most: 100_000,
    unit: "count",
    why: "ten times the clusters of a large mesh",
  },
  errorText: {
    of: "letters kept of the reason for which a client rejects an answer",
    most: 4_096,
    unit: "count",
    why: "a person reads it, and it says how long it was. Details of an xDS rejection are not kept",
  },
  rejections: {
    of: "objects kept of those that a sink of MCP rejects in one answer",
    most: 1_000,
    unit: "count",
    why: "a person reads them, and the reason says how many there were",
  },
} as const satisfies LimitTable;
