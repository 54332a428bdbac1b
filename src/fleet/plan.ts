import { hash64 } from "../lib/hash.ts";
import type { Mode } from "./response.ts";

/** What a proxy is: an Envoy beside a workload, an Envoy at the edge, or a gRPC client without either. */
type ProxyKind = "sidecar" | "router" | "grpc";

/** One proxy of a fleet, before it has a name. */
export interface PlannedProxy {
  readonly kind: ProxyKind;
  readonly mode: Mode;
  readonly slow: boolean;
  readonly rejects: boolean;
  readonly reconnects: boolean;
}

/** Which share of a fleet does what, from 0 to 1. Who is neither router nor gRPC client is a sidecar. */
export interface FleetShares {
  readonly routers: number;
  readonly grpc: number;
  readonly delta: number;
  readonly slow: number;
  readonly nack: number;
  readonly reconnect: number;
}

/**
 * A fleet of that size in which every share is met to the nearest proxy. Who does what is the same in every run, and
 * one share says nothing about another: of the slow readers, half are as good as any half.
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

/** Groups that do not overlap, one per share, drawn as lots: by the hash of each number with the name of the lottery. */
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
