import type { Server } from "../../../model/gateway.ts";
import { gatewayRef, hostsFor } from "../../../model/gateway.ts";
import { intersectHosts } from "../../../model/hostname.ts";
import type { MergedServer } from "../../../model/merged-gateway.ts";
import { routerScopeFor } from "../../../model/router-scope.ts";
import type { Destination, TcpMatch, VirtualService } from "../../../model/virtual-service.ts";
import { virtualServicesFor } from "../../../model/virtual-services-for.ts";
import { matchAll } from "../chain-match.ts";
import { connectionTarget } from "../connection-target.ts";
import type { GatewayChain, GatewayContext } from "./gateway-chain.ts";
import { serverMatch } from "./gateway-chain.ts";

/**
 * The virtual services bound to a server that say anything about connections, in the order in which they apply. Hosts
 * decide about nothing else: a connection does not say which it is for.
 */
export function* connectionServices({ gateway, server }: MergedServer, context: GatewayContext) {
  for (const virtualService of virtualServicesFor(gatewayRef(gateway), context.namespace, context.push)) {
    const { hosts, namespace, tcp, tls } = virtualService;
    if (tcp.length + tls.length === 0) continue;
    if (intersectHosts(hostsFor(namespace, server), hosts).length > 0) yield virtualService;
  }
}

/** One chain, for the first route that applies; none if no virtual service says where its connections go. */
export function tcpChains(merged: MergedServer, context: GatewayContext): readonly GatewayChain[] {
  const { server } = merged;
  for (const virtualService of connectionServices(merged, context)) {
    const route = virtualService.tcp.find(
      ({ matches }) => matches.length === 0 || matches.some((match) => applies(match, merged)),
    );
    if (route === undefined) continue;
    const match = server.tls === undefined ? matchAll : serverMatch(hostnamesOf(server));
    return chainTo(virtualService, route.destinations, merged, context).map((chain) => ({ ...chain, match }));
  }
  return [];
}

/** A chain per match that applies: each names what TLS may ask for. */
export function tlsChains(merged: MergedServer, context: GatewayContext): readonly GatewayChain[] {
  return [...connectionServices(merged, context)].flatMap((virtualService) =>
    virtualService.tls.flatMap(({ matches, destinations }) =>
      matches
        .filter((match) => applies(match, merged))
        .flatMap(({ sniHosts }) =>
          chainTo(virtualService, destinations, merged, context).map((chain) => ({
            ...chain,
            match: serverMatch(sniHosts),
            tls: undefined,
          })),
        ),
    ),
  );
}

/** By the port that the server asks for, wherever the proxy listens. Where a connection comes from does not count. */
function applies({ port, gateways }: TcpMatch, { gateway, server }: MergedServer): boolean {
  if (port !== 0 && port !== server.port) return false;
  return gateways.length === 0 || gateways.includes(gatewayRef(gateway));
}

function hostnamesOf({ hosts }: Server): readonly string[] {
  return hosts.map(({ hostname }) => hostname);
}

/** None for a route that gives all of its destinations no weight. */
function chainTo(
  virtualService: VirtualService,
  destinations: readonly Destination[],
  { server }: MergedServer,
  { namespace, push }: GatewayContext,
): readonly GatewayChain[] {
  const scope = routerScopeFor(namespace, push);
  const target = connectionTarget(virtualService, destinations, { scope, push, listenPort: server.port });
  if (target === undefined) return [];
  return [
    {
      match: matchAll,
      inspectsTls: server.tls !== undefined,
      tls: server.tls,
      protocol: server.protocol,
      action: { type: "tcp", target },
      source: virtualService,
      owner: virtualService.owner,
      owners: [virtualService.owner, ...(target.rule?.owners ?? [])],
    },
  ];
}
