import type { View } from "../../../collection/collection.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { oncePer } from "../../../lib/memo.ts";

/** An entry to a network for clients outside it. The gateway passes mesh mTLS connections through by SNI. */
export interface NetworkGateway {
  readonly network: string;
  /** The cluster that the gateway leads to; "" for the whole network. */
  readonly clusterId: string;
  readonly address: string;
  readonly port: number;
}

/** Gateways between networks that cannot reach each other directly. */
export interface Networks {
  /** Sorted by address, then port. Without gateways every proxy reaches every endpoint directly. */
  readonly gateways: readonly NetworkGateway[];
  /** Multiplier of endpoint weights, so that weights divide evenly among the gateways of each network or cluster. */
  readonly weightScale: number;
}

/** The value for most meshes: all proxies reach each other. */
export const oneNetwork: Networks = { gateways: [], weightScale: 1 };

/** Computes the networks of a mesh. Equal gateways give the same object. */
export const networksIn = oncePer(
  (gateways: View<NetworkGateway>): Networks => (gateways.size === 0 ? oneNetwork : networksOf([...gateways.values()])),
);

export function networksOf(gateways: readonly NetworkGateway[]): Networks {
  const sorted = gateways.toSorted((a, b) => compareTexts(a.address, b.address) || a.port - b.port);
  return { gateways: sorted, weightScale: weightScaleOf(sorted) };
}

/** The gateways of the cluster in its network, or all gateways of the network if the cluster has none. */
export function gatewaysInto({ gateways }: Networks, network: string, clusterId: string): readonly NetworkGateway[] {
  const all = gateways.filter((gateway) => gateway.network === network);
  const nearest = all.filter((gateway) => gateway.clusterId === clusterId);
  return nearest.length > 0 ? nearest : all;
}

export function networkGatewayKey({ network, clusterId, address, port }: NetworkGateway): string {
  return JSON.stringify([network, clusterId, address, port]);
}

function weightScaleOf(gateways: readonly NetworkGateway[]): number {
  const counts = [
    ...Map.groupBy(gateways, ({ network }) => network).values(),
    ...Map.groupBy(gateways, ({ network, clusterId }) => `${network} ${clusterId}`).values(),
  ].map(({ length }) => length);
  return counts.reduce(leastCommonMultiple, 1);
}

function leastCommonMultiple(a: number, b: number): number {
  return (a * b) / greatestCommonDivisor(a, b);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
