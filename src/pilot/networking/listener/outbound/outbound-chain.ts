import type { ConfigId } from "../../../../config/config.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import { isHttp, onlyPortOf, type Protocol, type Service } from "../../../model/service/service.ts";
import { ruleFor } from "../../../model/traffic/rule-for.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";
import { clusterName } from "../../cluster/cluster-name.ts";
import { shortNamesOf } from "../../route/sidecar/short-names.ts";
import { type ChainMatch, matchAll, plainHttpOf } from "../chain-match.ts";
import { isUnspecified } from "../cidr.ts";
import { type ConnectionTarget, connectionTarget } from "../connection-target.ts";
import { type ConnectionRoute, tcpRoutes, tlsRoutes } from "./connection-routes.ts";
import type { ListenerCandidate } from "./listener-candidate.ts";
import type { OutboundClient } from "./outbound-client.ts";

/** A filter chain before encoding: its match and its action. */
export interface OutboundChain {
  readonly match: ChainMatch;
  readonly action: HttpChain | TcpChain;
  /** The service that the chain is for. */
  readonly service: Service;
  readonly owners: readonly ConfigId[];
}

/** Requests are routed by a route configuration of this name. */
export interface HttpChain {
  readonly type: "http";
  readonly routes: string;
  readonly protocol: Protocol;
}

/** TCP is proxied. */
export interface TcpChain extends ConnectionTarget {
  readonly type: "tcp";
  readonly protocol: Protocol;
  readonly virtualService: VirtualService | undefined;
}

/** The proxy of the chains, and the part of the mesh that they depend on. */
export interface ChainContext {
  readonly scope: SidecarScope;
  readonly client: OutboundClient;
  readonly push: PushContext;
}

/** The chains of a candidate. */
export function chainsOf(candidate: ListenerCandidate, context: ChainContext): readonly OutboundChain[] {
  const { port, bind } = candidate;
  if (port.protocol === "HTTP_PROXY") return [httpChain(candidate, context, matchAll)];
  // Only HTTP arrives at the service's own address. The wildcard address may receive other protocols on the port.
  if (isHttp(port.protocol))
    return [httpChain(candidate, context, bind === context.client.wildcard ? sniffed(context) : matchAll)];
  const tcp = tcpChainsOf(candidate, context);
  return port.protocol === "auto" ? [...tcp, httpChain(candidate, context, sniffed(context))] : tcp;
}

function sniffed({ client }: ChainContext): ChainMatch {
  return { ...matchAll, transportProtocol: "raw_buffer", applicationProtocols: plainHttpOf(client.settings) };
}

function httpChain(candidate: ListenerCandidate, { client }: ChainContext, match: ChainMatch): OutboundChain {
  const { service, port } = candidate;
  const action = { type: "http", routes: routesName(candidate, client), protocol: port.protocol } as const;
  return { match, action, service, owners: [service.owner] };
}

/** By port. A service with protocol detection at its own address has its own routes. */
export function routesName({ service, port, bind }: ListenerCandidate, client: OutboundClient): string {
  if (port.number === 0) return bind;
  const own = port.protocol === "auto" && bind !== client.wildcard;
  return own ? `${service.hostname}:${port.number}` : `${port.number}`;
}

/** The chains for TCP connections. */
export function tcpChainsOf(candidate: ListenerCandidate, context: ChainContext): readonly OutboundChain[] {
  const caller = { client: context.client, namespace: context.scope.namespace };
  if (isTls(candidate.port.protocol)) {
    const routed = [...tlsRoutes(candidate, caller)].flatMap((route) => routedChains(candidate, route, context));
    return routed.length > 0 ? routed : [defaultChain(candidate, context)];
  }
  const routes = [...tcpRoutes(candidate, caller)];
  const routed = routes.flatMap((route) => routedChains(candidate, route, context));
  const decided = routes.some(({ destinationSubnets }) => destinationSubnets.length === 0);
  return decided ? routed : [...routed, defaultChain(candidate, context)];
}

function isTls(protocol: Protocol): boolean {
  return protocol === "HTTPS" || protocol === "TLS";
}

/** None for a route that gives all of its destinations no weight. */
function routedChains(
  candidate: ListenerCandidate,
  { virtualService, destinations, serverNames, destinationSubnets }: ConnectionRoute,
  { scope, push }: ChainContext,
): readonly OutboundChain[] {
  const { service, port, subnet } = candidate;
  const target = connectionTarget(virtualService, destinations, { scope, push, listenPort: port.number });
  if (target === undefined) return [];
  const match = connectionMatch(serverNames, destinationSubnets.length > 0 ? destinationSubnets : [subnet]);
  const action = { type: "tcp", protocol: port.protocol, ...target, virtualService } as const;
  return [{ match, action, service, owners: [service.owner, virtualService.owner, ...(target.rule?.owners ?? [])] }];
}

/** To the service itself. A listener's own port counts only if the service has several to choose from. */
function defaultChain(candidate: ListenerCandidate, { scope, client, push }: ChainContext): OutboundChain {
  const { service, port, subnet } = candidate;
  const name = clusterName(onlyPortOf(service) ?? port.number, "", service.hostname);
  const serverNames = isTls(port.protocol) && isIdentifiedBySni(candidate, client) ? namesOf(service, client) : [];
  const rule = ruleFor(service, scope.namespace, push);
  return {
    match: connectionMatch(serverNames, [subnet]),
    action: { type: "tcp", protocol: port.protocol, statPrefix: name, clusters: name, rule, virtualService: undefined },
    service,
    owners: [service.owner, ...(rule?.owners ?? [])],
  };
}

/** The hostname, and every form of its aliases. */
function namesOf({ hostname, aliases }: Service, { dnsDomain }: OutboundClient): readonly string[] {
  const others = aliases.map((alias) => alias.hostname);
  return [hostname, ...others.flatMap((name) => [name, `${name}.`, ...shortNamesOf(name, dnsDomain)])];
}

/** Where the address does not identify the service, the SNI does. */
function isIdentifiedBySni({ service, bind, subnet }: ListenerCandidate, { wildcard }: OutboundClient): boolean {
  if (subnet !== "") return true;
  if (service.addresses.length === 0) return bind === wildcard;
  return service.addresses.every((address) => address.includes("/"));
}

function connectionMatch(asked: readonly string[], subnets: readonly string[]): ChainMatch {
  const serverNames = asked.includes("*") ? [] : asked;
  const destinations = subnets.filter((subnet) => subnet !== "" && !isUnspecified(subnet));
  return serverNames.length + destinations.length === 0 ? matchAll : { ...matchAll, serverNames, destinations };
}
