import { isIpAddress } from "../../../../config/grammar/address.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { ListenerPort } from "../../../model/scope/sidecar.ts";
import type { EgressScope, SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import { isHeadless, isHttp, type Service, unixPath } from "../../../model/service/service.ts";
import { listenerName } from "../listener-address.ts";
import { mayListen } from "../listener-client.ts";
import { endpointAddresses } from "./headless.ts";
import type { OutboundClient } from "./outbound-client.ts";

/** One port of one service that needs a listener at one address. Candidates for the same address are merged. */
export interface ListenerCandidate {
  readonly egress: EgressScope;
  readonly service: Service;
  readonly port: ListenerPort;
  readonly bind: string;
  /** The proxy binds the address, instead of receiving redirected connections. */
  readonly bound: boolean;
  /** Only connections to this subnet are meant; "" for all. */
  readonly subnet: string;
}

/** The name of the listener that a candidate is for. */
export function candidateName({ bind, port }: ListenerCandidate): string {
  return listenerName(bind, port.number);
}

/**
 * Every candidate of a scope, in order of precedence: by egress listener, the oldest service first.
 * @param hostnames only for services with these names
 */
export function* listenerCandidates(
  scope: SidecarScope,
  client: OutboundClient,
  push: Pick<PushContext, "endpoints">,
  hostnames?: ReadonlySet<string>,
): Generator<ListenerCandidate> {
  const everywhere = [{ bind: client.wildcard, subnet: "" }];
  for (const egress of scope.egress) {
    const bound = isBound(egress, client);
    const bind = egress.bind === "" && bound ? client.localhost : egress.bind;
    for (const service of egress.services) {
      if (hostnames !== undefined && !hostnames.has(service.hostname)) continue;
      for (const port of egress.port === undefined ? service.ports : [egress.port]) {
        if (port.protocol === "UDP" || isTaken(bind, port, bound, client)) continue;
        // Nearly all services: a thousand of them are bound without a list for each.
        const isEverywhere = bind === "" && isHttp(port.protocol);
        const bindings = isEverywhere ? everywhere : bindingsOf({ egress, service, port, bind }, client, push);
        for (const { bind: address, subnet } of bindings) {
          yield { egress, service, port, bound, bind: address, subnet };
        }
      }
    }
  }
}

function isBound({ captureMode, bind }: EgressScope, { interception }: OutboundClient): boolean {
  return interception === "none" || captureMode === "none" || unixPath(bind) !== undefined;
}

function isTaken(bind: string, { number, protocol }: ListenerPort, bound: boolean, client: OutboundClient): boolean {
  if (bind === client.localhost && number === client.httpProxyPort) return true;
  return !mayListen(client, { bind, port: number, protocol, bound });
}

type Binding = Pick<ListenerCandidate, "bind" | "subnet">;

/**
 * Addresses of a listener without an explicit bind. HTTP binds all addresses, since requests name their host. Other
 * protocols bind the service's own addresses. A headless service binds the addresses of its endpoints.
 */
function bindingsOf(
  { egress, service, port, bind }: Pick<ListenerCandidate, "egress" | "service" | "port" | "bind">,
  client: OutboundClient,
  push: Pick<PushContext, "endpoints">,
): readonly Binding[] {
  if (bind !== "") return [{ bind, subnet: "" }];
  const everywhere = { bind: client.wildcard, subnet: "" };
  if (service.addresses.length > 0) {
    return reachable(service.addresses, client).map((address) =>
      address.includes("/") ? { bind: client.wildcard, subnet: address } : { bind: address, subnet: "" },
    );
  }
  if (!isHeadless(service) || egress.port !== undefined) return [everywhere];
  const addresses = endpointAddresses(service, port, push);
  // A headless Kubernetes service without endpoints cannot be called. Another service may have any address.
  if (addresses.size === 0) return service.registry === "Kubernetes" ? [] : [everywhere];
  return [...addresses]
    .filter((address) => isIpAddress(address) && address !== client.ownAddress)
    .map((address) => ({ bind: address, subnet: "" }));
}

/** Addresses of the families that the proxy binds; all addresses if none is left. */
function reachable(addresses: readonly string[], { wildcard, settings }: OutboundClient): readonly string[] {
  if (settings.dualStack) return addresses;
  const own = addresses.filter((address) => address.includes(":") === (wildcard === "::"));
  return own.length > 0 ? own : addresses;
}
