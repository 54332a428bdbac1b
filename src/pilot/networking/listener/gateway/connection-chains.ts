import { intersectHosts } from "../../../../config/grammar/hostname.ts";
import { gatewayRef, hostsFor } from "../../../model/gateway/gateway.ts";
import type { MergedServer } from "../../../model/gateway/merged-gateway.ts";
import { routerScopeFor } from "../../../model/scope/router-scope.ts";
import type { Destination, TcpMatch, VirtualService } from "../../../model/traffic/virtual-service.ts";
import { routesConnections } from "../../../model/traffic/virtual-service.ts";
import { virtualServicesFor } from "../../../model/traffic/virtual-services-for.ts";
import { matchAll } from "../chain-match.ts";
import { connectionTarget } from "../connection-target.ts";
import type { GatewayChain, GatewayContext } from "./gateway-chain.ts";
import { serverMatch } from "./gateway-chain.ts";

/**
 * The virtual services bound to a server that say anything about connections, in the order in which they apply. Hosts
 * have no other effect, because a connection does not name its host.
 */
export function* connectionServices({ gateway, server }: MergedServer, context: GatewayContext) {
  for (const virtualService of virtualServicesFor(gatewayRef(gateway), context.namespace, context.push)) {
    const { hosts, namespace } = virtualService;
    if (!routesConnections(virtualService)) continue;
    if (intersectHosts(hostsFor(namespace, server), hosts).length > 0) yield virtualService;
  }
}

/** One chain, for the first route that applies; none if no virtual service routes its connections. */
export function tcpChains(merged: MergedServer, context: GatewayContext): readonly GatewayChain[] {
  const { tls, hosts } = merged.server;
  for (const virtualService of connectionServices(merged, context)) {
    const route = virtualService.tcp.find(
      ({ matches }) => matches.length === 0 || matches.some((match) => applies(match, merged)),
    );
    if (route === undefined) continue;
    const match = tls === undefined ? matchAll : serverMatch(hosts.map(({ hostname }) => hostname));
    return [...chainTo({ virtualService, destinations: route.destinations, match, tls }, merged, context)];
  }
  return [];
}

/** One chain per match that applies: each matches an SNI and passes TLS through. */
export function* tlsChains(merged: MergedServer, context: GatewayContext): Generator<GatewayChain> {
  for (const virtualService of connectionServices(merged, context)) {
    for (const { matches, destinations } of virtualService.tls) {
      for (const { sniHosts } of matches.filter((each) => applies(each, merged))) {
        const match = serverMatch(sniHosts);
        yield* chainTo({ virtualService, destinations, match, tls: undefined }, merged, context);
      }
    }
  }
}

/** Matches the declared port of the server, not the listener port. The source of a connection is ignored. */
function applies({ port, gateways }: TcpMatch, { gateway, server }: MergedServer): boolean {
  if (port !== 0 && port !== server.port) return false;
  return gateways.length === 0 || gateways.includes(gatewayRef(gateway));
}

interface Routed extends Pick<GatewayChain, "match" | "tls"> {
  readonly virtualService: VirtualService;
  readonly destinations: readonly Destination[];
}

/** None for a route that gives all of its destinations no weight. */
function* chainTo(
  { virtualService, destinations, match, tls }: Routed,
  { server: { port, protocol, tls: spoken } }: MergedServer,
  { namespace, push }: GatewayContext,
): Generator<GatewayChain> {
  const scope = routerScopeFor(namespace, push);
  const target = connectionTarget(virtualService, destinations, { scope, push, listenPort: port });
  if (target === undefined) return;
  yield {
    match,
    inspectsTls: spoken !== undefined,
    tls,
    protocol,
    action: { type: "tcp", target },
    source: virtualService,
    owner: virtualService.owner,
    owners: [virtualService.owner, ...(target.rule?.owners ?? [])],
  };
}
