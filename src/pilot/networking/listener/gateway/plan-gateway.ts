import type { ConfigId } from "../../../../config/config.ts";
import type { Conflict } from "../../../model/conflict.ts";
import type { MergedPort } from "../../../model/gateway/merged-gateway.ts";
import { listenerName } from "../listener-address.ts";
import type { GatewayChain, GatewayContext } from "./gateway-chain.ts";
import { gatewayChains } from "./gateway-chains.ts";
import type { GatewayClient } from "./gateway-client.ts";

/** A gateway's listener, before it is encoded. */
export interface GatewayListener {
  readonly name: string;
  readonly bind: string;
  readonly port: number;
  /** Which Envoy can tell apart. */
  readonly chains: readonly GatewayChain[];
  readonly conflicts: readonly Conflict[];
  readonly owners: readonly ConfigId[];
}

/** The listener of a port. Of chains for the same SNI the first stays: Envoy rejects a listener that has both. */
export function planGateway(port: MergedPort, client: GatewayClient, context: GatewayContext): GatewayListener {
  const { bind, name } = bindingOf(port, client);
  const chains: GatewayChain[] = [];
  const conflicts: Conflict[] = [];
  const taken = new Map<string, ConfigId>();
  for (const chain of gatewayChains(port, context)) {
    const claims = claimsOf(chain);
    const claimed = claims.find((claim) => taken.has(claim));
    if (claimed === undefined) {
      chains.push(chain);
      for (const claim of claims) taken.set(claim, chain.owner);
    } else conflicts.push(lostTo(taken.get(claimed), chain, name));
  }
  const owners = [...port.servers.map(({ gateway }) => gateway.owner), ...chains.flatMap((chain) => chain.owners)];
  return { name, bind, port: port.port, chains, conflicts, owners };
}

function lostTo(winner: ConfigId | undefined, { owner }: GatewayChain, about: string): Conflict {
  const reason = "the first to ask for a server name has its connections";
  return { type: "gateway-chain", about, winner, losers: [owner], reason };
}

/** The address and the name of the listener of a port. */
export function bindingOf({ bind, port }: Pick<MergedPort, "bind" | "port">, { wildcard }: GatewayClient) {
  const address = bind === "" ? wildcard : bind;
  return { bind: address, name: listenerName(address, port) };
}

function claimsOf({ match: { serverNames, applicationProtocols } }: GatewayChain): readonly string[] {
  const names = serverNames.length === 0 ? [""] : serverNames;
  return names.map((name) => `${name} ${applicationProtocols.join()}`);
}
