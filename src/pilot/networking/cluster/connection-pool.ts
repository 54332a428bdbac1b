import type { ConnectionPool, RetryBudget, TcpKeepalive } from "../../model/traffic/destination-rule.ts";
import { positive } from "./positive.ts";

/** Envoy's default limits are low (1024), so "no limit" must be explicit. */
const unlimited = 0xff_ff_ff_ff;

export function circuitBreakersOf(pool: ConnectionPool | undefined, budget?: RetryBudget) {
  return {
    thresholds: [
      {
        maxConnections: limit(pool?.maxConnections),
        maxPendingRequests: limit(pool?.maxPendingRequests),
        maxRequests: limit(pool?.maxRequests),
        maxRetries: limit(pool?.maxRetries),
        retryBudget: budget === undefined ? undefined : retryBudgetOf(budget),
      },
    ],
  };
}

function retryBudgetOf({ percent, minRetryConcurrency, interval }: RetryBudget) {
  return { budgetPercent: { value: percent }, minRetryConcurrency, budgetInterval: interval };
}

function limit(value: number | undefined): number {
  return positive(value) ?? unlimited;
}

/** The destination's settings override the mesh's, field by field. An empty message still enables keepalive. */
export function upstreamConnectionOptionsOf(own: TcpKeepalive | undefined, mesh: TcpKeepalive | undefined) {
  if (own === undefined && mesh === undefined) return undefined;
  return {
    tcpKeepalive: {
      keepaliveProbes: positive(own?.probes) ?? positive(mesh?.probes),
      keepaliveTime: positive(own?.time) ?? positive(mesh?.time),
      keepaliveInterval: positive(own?.interval) ?? positive(mesh?.interval),
    },
  };
}
