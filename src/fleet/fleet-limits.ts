import type { LimitTable } from "../lib/bounded/limit.ts";

/** Limits for input of virtual proxies from the measured server, during a run of `binnacle fleet`. */
export const fleetLimits = {
  messageBytes: {
    of: "a message",
    most: 256 << 20,
    unit: "bytes",
    why: "more than Envoy accepts, so that the fleet does not fail first",
  },
} as const satisfies LimitTable;
