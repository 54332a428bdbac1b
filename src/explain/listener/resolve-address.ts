import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { isIpAddress } from "../../config/grammar/address.ts";
import { parseClusterName } from "../../pilot/networking/cluster/cluster-name.ts";
import type { EnvoyConfig } from "../envoy-config.ts";
import { requestHostname, type SimulatedRequest } from "../simulated-request.ts";
import { isAnyAddress } from "../socket-address.ts";
import { type ListenerSocket, socketsOn } from "./listener-sockets.ts";
import { tcpTargetsOf, terminalFilterOf } from "./terminal-filter.ts";

/**
 * The address of the host, as far as the configuration shows it. A service with its own address has a listener or a
 * filter chain for that address, and its cluster has the service's name. Undefined for all other hosts: the wildcard
 * listener takes them, whatever their address is.
 */
export function resolveAddress(config: EnvoyConfig, request: SimulatedRequest): string | undefined {
  const hostname = requestHostname(request);
  if (isIpAddress(hostname)) return hostname;
  const captured = config.listeners.filter(({ bindToPort }) => bindToPort === false);
  const known = socketsOn(captured, request.port).flatMap(addressedServices);
  const found =
    known.find((service) => service.hostname === hostname) ??
    known.find((service) => service.hostname.startsWith(`${hostname}.`));
  return found?.address;
}

interface AddressedService {
  readonly hostname: string;
  readonly address: string;
}

function addressedServices({ listener, address }: ListenerSocket): readonly AddressedService[] {
  const { filterChains, defaultFilterChain } = listener;
  const chains = defaultFilterChain === undefined ? filterChains : [...filterChains, defaultFilterChain];
  return chains.flatMap((chain) => {
    const dialled = isAnyAddress(address) ? chain.filterChainMatch?.prefixRanges[0]?.addressPrefix : address;
    if (dialled === undefined) return [];
    return hostnamesBehind(chain).map((hostname) => ({ hostname, address: dialled }));
  });
}

function hostnamesBehind(chain: FilterChain): readonly string[] {
  const terminal = terminalFilterOf(chain);
  if (terminal?.type !== "tcp") return [];
  return tcpTargetsOf(terminal.proxy).map(({ cluster }) => parseClusterName(cluster)?.hostname ?? "");
}
