import { serverClass } from "../../../model/gateway/gateway.ts";
import type { MergedPort, MergedServer } from "../../../model/gateway/merged-gateway.ts";
import { httpRouteName, httpsRouteName } from "../../../model/gateway/merged-gateway.ts";
import { matchAll } from "../chain-match.ts";
import { autoPassthroughChains } from "./auto-passthrough.ts";
import { tcpChains, tlsChains } from "./connection-chains.ts";
import type { GatewayChain, GatewayContext } from "./gateway-chain.ts";
import { serverMatch } from "./gateway-chain.ts";

/** The chains of the servers of a port, in order. */
export function gatewayChains(port: MergedPort, context: GatewayContext): readonly GatewayChain[] {
  const [first] = port.servers;
  // The hosts of requests tell the servers apart.
  if (serverClass(first.server) === "http") return [httpChain(first, httpRouteName(port))];
  return port.servers.flatMap((merged) => chainsOf(merged, context));
}

function chainsOf(merged: MergedServer, context: GatewayContext): readonly GatewayChain[] {
  const kind = serverClass(merged.server);
  if (kind === "tcp") return tcpChains(merged, context);
  if (kind !== "tls") return [httpsChain(merged)];
  const automatic = merged.server.tls?.mode === "auto-passthrough";
  return automatic ? autoPassthroughChains(merged, context) : [...tlsChains(merged, context)];
}

function httpChain({ server, gateway }: MergedServer, routes: string): GatewayChain {
  return {
    match: matchAll,
    inspectsTls: false,
    tls: undefined,
    protocol: server.protocol,
    action: { type: "http", routes, statPrefix: "" },
    source: server,
    owner: gateway.owner,
    owners: [],
  };
}

function httpsChain(merged: MergedServer): GatewayChain {
  const { server, gateway } = merged;
  return {
    match: serverMatch(server.hosts.map(({ hostname }) => hostname)),
    inspectsTls: true,
    tls: server.tls,
    protocol: server.protocol,
    action: { type: "http", routes: httpsRouteName(merged), statPrefix: server.name },
    source: server,
    owner: gateway.owner,
    owners: [],
  };
}
