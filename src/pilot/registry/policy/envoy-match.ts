import {
  EnvoyFilter_RouteConfigurationMatch_RouteMatch_Action as Action,
  type EnvoyFilter_ClusterMatch as IstioClusterMatch,
  type EnvoyFilter_ListenerMatch as IstioListenerMatch,
  type EnvoyFilter_RouteConfigurationMatch as IstioRouteMatch,
} from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import type { ClusterMatch, ListenerMatch, RouteMatch, VirtualHostMatch } from "../../model/policy/envoy-patch.ts";

export function clusterMatchOf({ name, service, subset, portNumber }: IstioClusterMatch): ClusterMatch {
  return { name, service, subset, port: portNumber };
}

export function listenerMatchOf(match: IstioListenerMatch): ListenerMatch {
  const { name, portNumber: port, listenerFilter, filterChain } = match;
  return { name, port, listenerFilter, chain: filterChain === undefined ? undefined : chainMatchOf(filterChain) };
}

function chainMatchOf(chain: NonNullable<IstioListenerMatch["filterChain"]>): ListenerMatch["chain"] {
  const { name, sni, transportProtocol, applicationProtocols: protocols, destinationPort, filter } = chain;
  return {
    name,
    sni,
    transportProtocol,
    applicationProtocols: protocols === "" ? [] : protocols.split(","),
    destinationPort,
    filter: filter === undefined ? undefined : { name: filter.name, subFilter: filter.subFilter?.name },
  };
}

export function routeMatchOf({ name, portNumber, portName, gateway, vhost }: IstioRouteMatch): RouteMatch {
  return { name, port: portNumber, portName, gateway, virtualHost: vhost && virtualHostMatchOf(vhost) };
}

function virtualHostMatchOf({ name, domainName, route }: NonNullable<IstioRouteMatch["vhost"]>): VirtualHostMatch {
  const action = Action[route?.action ?? Action.ANY] as keyof typeof Action;
  return { name, domain: domainName, route: route === undefined ? undefined : { name: route.name, action } };
}
