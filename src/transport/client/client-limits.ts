import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits for input from a gRPC server: another Galley, an istiod, an MCP sink that Binnacle calls. */
export const clientLimits = {
  messageBytes: {
    of: "a message",
    most: 64 << 20,
    unit: "bytes",
    why: "all objects of a collection are one message; `max-message=` of its URL sets another. Compressed ones are refused",
  },
  messageFields: {
    of: "resources of a message, with its other fields",
    most: 250_000,
    unit: "count",
    why: "an empty one costs two bytes on the wire, and a hundred in memory",
  },
  statusText: {
    of: "letters of the reason for which it ends a stream",
    most: 1_024,
    unit: "count",
    why: "a person reads it",
  },
  connectMs: { of: "the time until it is connected", most: 20_000, unit: "ms", why: "it is tried again" },
  responseMs: {
    of: "the time from there until it takes the stream",
    most: 300_000,
    unit: "ms",
    why: "some answer only when they have something to say, which may take as long as their own start",
  },
  messageMs: {
    of: "a message, from its first byte to its last",
    most: 60_000,
    unit: "ms",
    why: "1 MB/s is enough for the largest",
  },
} as const satisfies LimitTable;
