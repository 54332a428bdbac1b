import { meshGateway } from "../../../../config/grammar/gateway-reference.ts";
import { hostnamesMatch } from "../../../../config/grammar/hostname.ts";
import { selects } from "../../../../config/selector.ts";
import { virtualServicesWithConnections } from "../../../model/scope/egress-scope.ts";
import type { Destination, TcpMatch, TlsMatch, VirtualService } from "../../../model/traffic/virtual-service.ts";
import type { ListenerCandidate } from "./listener-candidate.ts";
import type { OutboundClient } from "./outbound-client.ts";

/** The destination of some connections of a service, as a virtual service sets. */
export interface ConnectionRoute {
  readonly virtualService: VirtualService;
  readonly destinations: readonly Destination[];
  /** Empty for all. */
  readonly serverNames: readonly string[];
  /** Subnets; empty for all. */
  readonly destinationSubnets: readonly string[];
}

interface Caller {
  readonly client: Pick<OutboundClient, "labels">;
  readonly namespace: string;
}

/** The routes for TLS passthrough, in order. */
export function* tlsRoutes(candidate: ListenerCandidate, caller: Caller): Generator<ConnectionRoute> {
  for (const virtualService of virtualServicesOf(candidate)) {
    for (const { matches, destinations } of virtualService.tls) {
      for (const match of matches.filter((each) => applies(each, candidate, caller))) {
        const { sniHosts: serverNames } = match;
        yield { virtualService, destinations, serverNames, destinationSubnets: subnetsOf(match, candidate) };
      }
    }
  }
}

/** The routes for all other connections, in order, up to the first that takes them all. */
export function* tcpRoutes(candidate: ListenerCandidate, caller: Caller): Generator<ConnectionRoute> {
  for (const virtualService of virtualServicesOf(candidate)) {
    for (const { matches, destinations } of virtualService.tcp) {
      const subnets = matches
        .filter((each) => applies(each, candidate, caller))
        .map((match) => subnetsOf(match, candidate));
      const takesAll = matches.length === 0 || subnets.some((list) => list.length === 0);
      if (subnets.length === 0 && !takesAll) continue;
      yield { virtualService, destinations, serverNames: [], destinationSubnets: takesAll ? [] : subnets.flat() };
      if (takesAll) return;
    }
  }
}

function virtualServicesOf({ egress, service }: ListenerCandidate): readonly VirtualService[] {
  return virtualServicesWithConnections(egress).filter(({ hosts }) =>
    hosts.some((host) => hostnamesMatch(host, service.hostname)),
  );
}

/** Decides every condition except subnets and server names. */
function applies(match: TcpMatch, { port }: ListenerCandidate, { client, namespace }: Caller): boolean {
  if (match.port !== 0 && match.port !== port.number) return false;
  if (match.gateways.length > 0 && !match.gateways.includes(meshGateway)) return false;
  if (match.sourceNamespace !== "" && match.sourceNamespace !== namespace) return false;
  return selects(match.sourceLabels, client.labels);
}

/** A connection through a Unix socket has no destination. */
function subnetsOf({ destinationSubnets }: TcpMatch | TlsMatch, { port }: ListenerCandidate): readonly string[] {
  return port.number === 0 ? [] : destinationSubnets;
}
