import type {
  L4MatchAttributes,
  TCPRoute,
  TLSMatchAttributes,
  TLSRoute,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { resolveGateway } from "../../../config/gateway-reference.ts";
import type { TcpMatch, TcpRoute, TlsRoute } from "../../model/virtual-service.ts";
import { destinationOf } from "./destination.ts";

/** Routes for connections that are passed on unopened. */
export function tlsRouteOf({ match, route }: TLSRoute, namespace: string, domain: string): TlsRoute {
  return {
    matches: match.map((each) => ({ ...matchOf(each, namespace), sniHosts: each.sniHosts })),
    destinations: route.map((destination) => destinationOf(destination, namespace, domain)),
  };
}

export function tcpRouteOf({ match, route }: TCPRoute, namespace: string, domain: string): TcpRoute {
  return {
    matches: match.map((each) => matchOf(each, namespace)),
    destinations: route.map((destination) => destinationOf(destination, namespace, domain)),
  };
}

function matchOf(match: L4MatchAttributes | TLSMatchAttributes, namespace: string): TcpMatch {
  return {
    port: match.port,
    gateways: match.gateways.map((gateway) => resolveGateway(gateway, namespace)),
    sourceLabels: match.sourceLabels,
    sourceNamespace: match.sourceNamespace,
    destinationSubnets: match.destinationSubnets,
  };
}
