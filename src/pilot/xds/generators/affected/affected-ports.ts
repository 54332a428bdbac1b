import { keyOf, kindOf } from "../../../model/config-id.ts";
import { serverClass } from "../../../model/gateway/gateway.ts";
import type { MergedPort, MergedServer } from "../../../model/gateway/merged-gateway.ts";
import { gatewayRefsOf } from "../../../model/gateway/merged-gateway.ts";
import type { PushContext, Since } from "../../../model/push-context.ts";
import { routerScopeFor } from "../../../model/scope/router-scope.ts";
import { routesConnections, sendsConnectionsTo } from "../../../model/traffic/virtual-service.ts";
import { connectionServices } from "../../../networking/listener/gateway/connection-chains.ts";
import { allBut } from "../../generator.ts";
import { affectedHostnames } from "./affected-hostnames.ts";

/** Can a change of this kind alter a gateway's listener? */
export const concernsPorts = allBut("Endpoints", "Instance", "Sidecar", "PeerAuthentication");
/** Kinds that TCP and TLS routes depend on; every other kind affects all ports. */
const routing: ReadonlySet<string> = new Set(["VirtualService", "Service", "DestinationRule"]);

/**
 * The ports whose listeners may differ from `since`; "all" when this is unknown. HTTP is routed by RDS. So only TCP and
 * TLS ports depend on virtual services, their destinations, and the services and rules of those.
 */
export function affectedPorts(
  ports: readonly MergedPort[],
  namespace: string,
  push: PushContext,
  since: Since,
): readonly MergedPort[] | "all" {
  const kinds = new Set(Array.from(since.changed, kindOf).filter(concernsPorts));
  if (since.push.mesh !== push.mesh || !kinds.isSubsetOf(routing)) return "all";
  const gateways = reroutedGateways(push, since);
  const scopeIn = (each: PushContext) => routerScopeFor(namespace, each);
  const hostnames = affectedHostnames(scopeIn, push, since, (kind) => kind === "Service" || kind === "DestinationRule");
  if (hostnames === "all") return "all";
  return ports.filter((port) => {
    const servers = port.servers.filter(passesConnections);
    if (!gatewayRefsOf({ servers }).isDisjointFrom(gateways)) return true;
    return hostnames.size > 0 && servers.some((server) => leadsTo(hostnames, server, { namespace, push }));
  });
}

function passesConnections({ server }: MergedServer): boolean {
  const kind = serverClass(server);
  return kind === "tcp" || kind === "tls";
}

/** Those of the virtual services that changed and speak of connections, or did. */
function reroutedGateways(push: PushContext, since: Since): ReadonlySet<string> {
  const keys = [...since.changed].filter((id) => kindOf(id) === "VirtualService").map(keyOf);
  const virtualServices = [since.push, push].flatMap((each) =>
    keys.flatMap((key) => each.virtualServices.get(key) ?? []),
  );
  return new Set(virtualServices.filter(routesConnections).flatMap(({ gateways }) => gateways));
}

function leadsTo(
  hostnames: ReadonlySet<string>,
  merged: MergedServer,
  context: { readonly namespace: string; readonly push: PushContext },
): boolean {
  if (merged.server.tls?.mode === "auto-passthrough") return true;
  return [...connectionServices(merged, context)].some((each) => sendsConnectionsTo(hostnames, each));
}
