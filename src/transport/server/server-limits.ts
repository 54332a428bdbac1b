import type { LimitTable } from "../../lib/bounded/limit.ts";

/** The limit of incomplete messages of the largest size per peer, for any `messageBytes`. */
export const largestMessages = 4;

/** Limits for input from clients of the gRPC servers, per listener. */
export const serverLimits = {
  messageBytes: {
    of: "a message",
    most: 4 << 20,
    unit: "bytes",
    why: "an Envoy that reconnects with 10 000 clusters sends about 1.1 MB; `--max-request-bytes` and `--mcp-max-request-bytes` change the limit",
  },
  messageMs: {
    of: "time from the first to the last byte of a message",
    most: 60_000,
    unit: "ms",
    why: "70 kB/s is fast enough for the largest message; a stream may be idle between messages",
  },
  peerBytes: {
    of: "memory for incomplete messages of one peer",
    most: 64 << 20,
    unit: "bytes",
    why: "or four messages of the largest size; the stream with the most memory ends. Clients on this machine have no limit",
  },
  allBytes: {
    of: "memory for incomplete messages of all peers",
    most: 512 << 20,
    unit: "bytes",
    why: "5 000 proxies that reconnect at once need less; the stream with the most memory ends",
  },
} as const satisfies LimitTable;
