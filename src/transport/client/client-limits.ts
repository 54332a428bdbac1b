import type { LimitTable } from "../../lib/bounded/limit.ts";

/** Limits for input from a gRPC server: another Galley, an istiod, an MCP sink that Binnacle calls. */
export const clientLimits = {
  messageBytes: {
    of: "a message",
    most: 64 << 20,
    unit: "bytes",
    why: "a message may contain all objects of a collection; `max-message=` in the URL changes the limit. Compressed messages are refused",
  },
  messageFields: {
    of: "resources and other fields of a message",
    most: 250_000,
    unit: "count",
    why: "an empty resource costs 2 bytes on the wire, but about 100 in memory",
  },
  statusText: {
    of: "characters of the reason when a peer ends a stream",
    most: 1_024,
    unit: "count",
    why: "the text is for people",
  },
  connectMs: { of: "time until the connection is established", most: 20_000, unit: "ms", why: "Binnacle then retries" },
  responseMs: {
    of: "time from the connection until the peer accepts the stream",
    most: 300_000,
    unit: "ms",
    why: "some peers accept a stream only with their first message, which may come after their own start",
  },
  messageMs: {
    of: "time from the first to the last byte of a message",
    most: 60_000,
    unit: "ms",
    why: "1 MB/s is fast enough for the largest message",
  },
} as const satisfies LimitTable;
