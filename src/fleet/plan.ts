import { hash64 } from "../lib/hash.ts";
import type { StreamMode } from "./response.ts";

/** The kind of a proxy: a sidecar Envoy, a gateway Envoy, or a proxyless gRPC client. */
type ProxyKind = "sidecar" | "router" | "grpc";

/** One proxy of a fleet, before it has a name. */
export interface PlannedProxy {
  readonly kind: ProxyKind;
  readonly mode: StreamMode;
  readonly slow: boolean;
  readonly rejects: boolean;
  readonly reconnects: boolean;
}

/** The share of proxies in each role, from 0 to 1. A proxy that is neither router nor gRPC client is a sidecar. */
export interface FleetShares {
  readonly routers: number;
  readonly grpc: number;
  readonly delta: number;
  readonly slow: number;
  readonly nack: number;
  readonly reconnect: number;
}

/**
 * A fleet of that size in which every share is exact to the nearest proxy. The roles are the same in every run. Shares
 * are independent of each other: any half of the slow readers is as good as another half.
 */
export function planFleet(size: number, shares: FleetShares): readonly PlannedProxy[] {
  const [routers, others] = chosen(size, "kind", shares.routers, shares.grpc);
  const [delta] = chosen(size, "delta", shares.delta);
  const [slow] = chosen(size, "slow", shares.slow);
  const [nack] = chosen(size, "nack", shares.nack);
  const [reconnect] = chosen(size, "reconnect", shares.reconnect);
  return Array.from({ length: size }, (_, index) => ({
    kind: routers?.has(index) ? "router" : others?.has(index) ? "grpc" : "sidecar",
    mode: delta?.has(index) ? "delta" : "sotw",
    slow: slow?.has(index) === true,
    rejects: nack?.has(index) === true,
    reconnects: reconnect?.has(index) === true,
  }));
}

/** Disjoint groups, one per share. Members are chosen by the hash of their number with the name of the lottery. */
function chosen(size: number, lottery: string, ...shares: readonly number[]): readonly ReadonlySet<number>[] {
  const lots = Array.from({ length: size }, (_, index) => ({ index, lot: hash64(`${lottery} ${index}`) }));
  lots.sort((a, b) => (a.lot < b.lot ? -1 : 1));
  let start = 0;
  return shares.map((share) => {
    const group = lots.slice(start, start + Math.round(size * share));
    start += group.length;
    return new Set(group.map(({ index }) => index));
  });
}
