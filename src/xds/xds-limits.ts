import type { LimitTable } from "../lib/bounded/limit.ts";

/** Limits for input from xDS and MCP clients, and for the part of their messages that is kept. */
export const xdsLimits = {
  nodeBytes: {
    of: "the node of an xDS client",
    most: 256 << 10,
    unit: "bytes",
    why: "the node of an Envoy has about 61 kB; decoded, a node may need 100 times its size. `--max-node-bytes` changes the limit",
  },
  names: {
    of: "names of one type that a stream subscribes to",
    most: 100_000,
    unit: "count",
    why: "ten times the clusters of a large mesh",
  },
  errorText: {
    of: "characters stored of the error of a NACK",
    most: 4_096,
    unit: "count",
    why: "the text is for people, and states its full length. Details of an xDS NACK are not stored",
  },
  rejections: {
    of: "rejected objects stored of one NACK of an MCP sink",
    most: 1_000,
    unit: "count",
    why: "the list is for people, and the error states the full number",
  },
} as const satisfies LimitTable;
