import type { ConfigId, Labels } from "../../../../config/config.ts";
import { intersectHosts } from "../../../../config/grammar/hostname.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../../model/conflict.ts";
import { gatewayRef, hostsFor } from "../../../model/gateway/gateway.ts";
import type { MergedServer, RouteTable } from "../../../model/gateway/merged-gateway.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { PushContext } from "../../../model/push-context.ts";
import { routerScopeFor } from "../../../model/scope/router-scope.ts";
import { aliasTargetsIn } from "../../../model/service/alias-service.ts";
import { onlyPortOf, serviceKey } from "../../../model/service/service.ts";
import { isVisibleFrom } from "../../../model/service/visibility.ts";
import { hashLookupFor } from "../../../model/traffic/applied-hash.ts";
import { type Backend, ownersOf, type VirtualService } from "../../../model/traffic/virtual-service.ts";
import { virtualServicesFor } from "../../../model/traffic/virtual-services-for.ts";
import { hostAndPort } from "../../address.ts";
import { buildRoutes } from "../build-routes.ts";
import { selectRoutes } from "../select-routes.ts";
import type { HostDraft, RouteList } from "./collapse-hosts.ts";

/** All inputs of a route configuration of a gateway. */
export interface GatewayRouteInputs {
  readonly table: RouteTable;
  /** Of the proxies that ask. */
  readonly namespace: string;
  readonly labels: Labels;
  readonly settings: RouteSettings;
  readonly push: PushContext;
}

/** The hosts of a route configuration, and their source objects beside the gateways. */
export interface GatewayHosts {
  readonly drafts: readonly HostDraft[];
  readonly owners: readonly ConfigId[];
}

/**
 * The hosts of a route configuration: where those of its servers and of the virtual services bound to them overlap. The
 * first virtual service makes a host, later ones add their routes. Servers that redirect to HTTPS do so for all their
 * hosts.
 */
export function gatewayHosts(inputs: GatewayRouteInputs, writer: ProtoWriter): GatewayHosts {
  const drafts = new Map<string, HostDraft>();
  const owners = new Set<ConfigId>();
  const routesOf = rememberRoutes(inputs, writer);
  const port = listenPort(inputs.table);
  for (const merged of inputs.table.servers) {
    const { gateway, server } = merged;
    const requireTls = server.tls?.httpsRedirect ?? false;
    const bound = virtualServicesFor(gatewayRef(gateway), inputs.namespace, inputs.push);
    for (const virtualService of bound) {
      const hostnames = intersectHosts(hostsFor(virtualService.namespace, server), virtualService.hosts);
      if (hostnames.length === 0) continue;
      const list = routesOf(virtualService, merged);
      if (list.routes.length === 0) continue;
      for (const owner of list.owners) owners.add(owner);
      for (const hostname of hostnames) addTo(drafts, { hostname, port, requireTls, routes: [list] });
    }
    if (!requireTls) continue;
    for (const { hostname } of server.hosts) addTo(drafts, { hostname, port, requireTls, routes: [] });
  }
  return { drafts: [...drafts.values()], owners: [...owners] };
}

const reason =
  "routes are tried in the order of their virtual services, and what takes every request last: the first of those";

/** Virtual services with a catch-all route for a host that already has one. */
export function conflictsOver({ hostname, port, routes }: HostDraft): readonly Conflict[] {
  const greedy = routes.filter((list) => list.routes.some(({ catchAll }) => catchAll)).map(({ owner }) => owner);
  const [winner, ...losers] = new Set(greedy);
  if (winner === undefined || losers.length === 0) return [];
  return [{ type: "virtual-host", about: hostAndPort(hostname, port), winner, losers, reason }];
}

function addTo(drafts: Map<string, HostDraft>, { hostname, port, requireTls, routes }: HostDraft): void {
  const key = hostname.toLowerCase();
  const present = drafts.get(key);
  drafts.set(key, {
    hostname: key,
    port: present?.port ?? port,
    requireTls: requireTls || (present?.requireTls ?? false),
    routes: [...(present?.routes ?? []), ...routes],
  });
}

/** The port that clients call and that matches name: the first server's port, not the listener's port. */
export function listenPort({ servers: [{ server }] }: RouteTable): number {
  return server.port;
}

/** Within one table, a virtual service has the same routes for all servers of a gateway: those of the first. */
function rememberRoutes({ table, namespace, labels, settings, push }: GatewayRouteInputs, writer: ProtoWriter) {
  const port = listenPort(table);
  const scope = routerScopeFor(namespace, push);
  const hashes = hashLookupFor(scope, labels, push);
  const aliases = aliasTargetsIn(scope);
  const known = new Map<string, RouteList>();
  return (virtualService: VirtualService, { gateway, server }: MergedServer): RouteList => {
    const id = `${gatewayRef(gateway)} ${virtualService.owner}`;
    const present = known.get(id);
    if (present !== undefined) return present;
    const context = { port, gateway: gatewayRef(gateway), labels, namespace };
    const routes = buildRoutes(
      {
        virtualService,
        selected: selectRoutes(virtualService, context),
        listenPort: port,
        tls: server.tls !== undefined,
        mesh: push.mesh,
        settings,
        resolve: (backend) => ({
          hostname: aliases.get(backend.hostname.toLowerCase())?.hostname ?? backend.hostname,
          port: portOf(backend, virtualService, namespace, push) ?? port,
          hash: hashes(backend),
        }),
      },
      writer,
    );
    const owners = [...new Set([...routes.flatMap((route) => route.owners), ...ownersOf(virtualService)])];
    const list = { id, owner: virtualService.owner, routes, owners };
    known.set(id, list);
    return list;
  };
}

/** The port that a backend names, or the only one its service has. */
function portOf(
  { hostname, port }: Backend,
  virtualService: VirtualService,
  namespace: string,
  push: PushContext,
): number | undefined {
  if (port !== undefined) return port;
  const neighbour = push.services.get(serviceKey({ namespace: virtualService.namespace, hostname }));
  const service =
    neighbour !== undefined && isVisibleFrom(namespace, neighbour)
      ? neighbour
      : routerScopeFor(namespace, push).service(hostname);
  return onlyPortOf(service);
}
