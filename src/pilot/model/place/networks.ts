import type { View } from "../../../collection/collection.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { oncePer } from "../../../lib/memo.ts";

/** A way into a network, for those who are outside: connections of mesh mTLS are passed on by their SNI. */
export interface NetworkGateway {
  readonly network: string;
  /** The cluster it leads into; "" when it leads into all of the network. */
  readonly clusterId: string;
  readonly address: string;
  readonly port: number;
}

/** How networks that do not reach each other are joined. */
export interface Networks {
  /** Sorted by address, then port. None: everybody reaches everybody. */
  readonly gateways: readonly NetworkGateway[];
  /** What weights are multiplied by so that they can be divided among the gateways of any network or cluster. */
  readonly weightScale: number;
}

/** Of most meshes. */
export const oneNetwork: Networks = { gateways: [], weightScale: 1 };

/** How the networks of a mesh are joined. The same object for the same gateways. */
export const networksIn = oncePer(
  (gateways: View<NetworkGateway>): Networks => (gateways.size === 0 ? oneNetwork : networksOf([...gateways.values()])),
);

export function networksOf(gateways: readonly NetworkGateway[]): Networks {
  const sorted = gateways.toSorted((a, b) => compareTexts(a.address, b.address) || a.port - b.port);
  return { gateways: sorted, weightScale: weightScaleOf(sorted) };
}

/** Those for a network and a cluster of it, else all of the network. */
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
