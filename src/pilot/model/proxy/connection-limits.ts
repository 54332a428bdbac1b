/** Timeouts and buffer limits for clients of a proxy. An undefined limit uses the default. */
export interface ConnectionLimits {
  readonly bufferBytes?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly connectionMs?: number | undefined;
  readonly drainMs?: number | undefined;
  readonly requestMs?: number | undefined;
  readonly requestHeadersMs?: number | undefined;
  readonly streamIdleMs?: number | undefined;
  readonly streamMs?: number | undefined;
  readonly streams?: number | undefined;
  readonly streamWindowBytes?: number | undefined;
  readonly connectionWindowBytes?: number | undefined;
  readonly underscores?: "allow" | "reject" | "drop" | undefined;
  readonly mergesSlashes?: boolean | undefined;
  readonly escapedSlashes?: "keep" | "reject" | "redirect" | "forward" | undefined;
}

/** Strict limits for proxies that face the internet, where clients are not trusted. */
export const edgeLimits: ConnectionLimits = {
  bufferBytes: 32 * 1024,
  idleMs: 3_600_000,
  requestMs: 300_000,
  requestHeadersMs: 60_000,
  streamIdleMs: 300_000,
  streams: 100,
  streamWindowBytes: 64 * 1024,
  connectionWindowBytes: 1024 * 1024,
  underscores: "reject",
  mergesSlashes: true,
  escapedSlashes: "redirect",
};
