import type {
  L4MatchAttributes,
  TCPRoute,
  TLSMatchAttributes,
  TLSRoute,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { resolveGateway } from "../../../config/grammar/gateway-reference.ts";
import type { TcpMatch, TcpRoute, TlsRoute } from "../../model/traffic/virtual-service.ts";
import { destinationOf } from "./destination.ts";
import type { RouteSource } from "./route-source.ts";

/** Routes for TLS passthrough. */
export function tlsRouteOf({ match, route }: TLSRoute, source: RouteSource): TlsRoute {
  return {
    matches: match.map((each) => ({ ...matchOf(each, source.namespace), sniHosts: each.sniHosts })),
    destinations: route.map((destination) => destinationOf(destination, source)),
  };
}

export function tcpRouteOf({ match, route }: TCPRoute, source: RouteSource): TcpRoute {
  return {
    matches: match.map((each) => matchOf(each, source.namespace)),
    destinations: route.map((destination) => destinationOf(destination, source)),
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
