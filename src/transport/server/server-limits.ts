import type { LimitTable } from "../../lib/bounded/limit.ts";

/** The limit of incomplete messages of the largest size per peer, for any `messageBytes`. */
export const largestMessages = 4;

/** Limits for input from clients of the gRPC servers, per listener. */
export const serverLimits = {
  messageBytes: {
    of: "a message",
    most: 4 << 20,
    unit: "bytes",
    why: "an Envoy with 10 000 clusters resumes with 1.1 MB; `--max-request-bytes` and `--mcp-max-request-bytes` set others",
  },
  messageMs: {
    of: "a message, from its first byte to its last",
    most: 60_000,
    unit: "ms",
    why: "70 kB/s is enough for the largest; a stream that is silent between messages may live for ever",
  },
  peerBytes: {
    of: "messages of one peer that are not complete yet, with the room kept for them",
    most: 64 << 20,
    unit: "bytes",
    why: "or four of the largest; the stream that holds most is refused. Clients on this machine are not limited",
  },
  allBytes: {
    of: "messages of all peers that are not complete yet, with the room kept for them",
    most: 512 << 20,
    unit: "bytes",
    why: "5 000 proxies that come back at once need less; the stream that holds most is refused",
  },
} as const satisfies LimitTable;
