import { proxiesOf } from "../../../../admin/pilot/find-proxy.ts";
import { hostnamesMatch } from "../../../../config/grammar/hostname.ts";
import { selects } from "../../../../config/selector.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { type Gateway, gatewayRef, type GatewayServer, hostsFor } from "../../../../pilot/model/gateway/gateway.ts";
import type { PushContext } from "../../../../pilot/model/push-context.ts";
import type { VirtualService } from "../../../../pilot/model/traffic/virtual-service.ts";
import { virtualServicesFor } from "../../../../pilot/model/traffic/virtual-services-for.ts";
import type { DeskState } from "../../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee } from "../../endpoint.ts";
import type { GatewayHost, GatewayListing } from "../../model/mesh.ts";
import { linkTo } from "../../object-links.ts";
import { filterBy, paginate } from "../../paginate.ts";

const shownOwners = 5;

/** A host that a gateway serves, before its objects are looked up. */
interface ServedHost {
  readonly host: string;
  readonly gateway: Gateway;
  readonly servers: readonly GatewayServer[];
  /** In the order in which they apply. */
  readonly owners: readonly VirtualService[];
}

export function listGateways(state: DeskState, { viewer, query }: ApiRequest): ApiAnswer {
  const search = (query.get("search") ?? "").toLowerCase();
  const push = state.published();
  const hosts = [...push.gateways.values()]
    .filter(({ namespace }) => maySee(viewer, namespace))
    .flatMap((gateway) => hostsOf(gateway, push))
    .filter(({ host, gateway }) => `${host} ${gatewayRef(gateway)}`.toLowerCase().includes(search));
  const { matching, facets } = filterBy(hosts, query, { gateway: ({ gateway }) => gatewayRef(gateway) });
  const sorted = matching.toSorted((a, b) => compareTexts(keyOf(a), keyOf(b)));
  const page = paginate(sorted, query, { keyOf, compare: compareTexts });
  const routers = proxiesOf(state).filter(({ client }) => client.type === "router" && maySee(viewer, client.namespace));
  const shown = ({ host, gateway, servers, owners }: ServedHost): GatewayHost => ({
    host,
    gateway: linkTo(gateway.owner, state),
    ports: servers.map(({ port, protocol, tls }) => ({ number: port, protocol, tls: tls?.mode ?? "" })),
    proxies: routers.filter(({ client }) => isSelected(client, gateway)).length,
    owners: owners
      .filter(({ namespace }) => maySee(viewer, namespace))
      .slice(0, shownOwners)
      .map(({ owner }) => linkTo(owner, state)),
  });
  const listing: GatewayListing = { ...page, items: page.items.map(shown), facets };
  return found(listing);
}

function keyOf({ host, gateway }: ServedHost): string {
  return `${host} ${gatewayRef(gateway)}`;
}

/** The hosts of VirtualServices at the gateway, and hosts of its servers that no VirtualService has. */
function hostsOf(gateway: Gateway, push: PushContext): readonly ServedHost[] {
  const bound = virtualServicesFor(gatewayRef(gateway), gateway.namespace, push);
  const hosts = new Map<string, { readonly servers: Set<GatewayServer>; readonly owners: Set<VirtualService> }>();
  const entryOf = (host: string) => {
    const entry = hosts.get(host) ?? { servers: new Set(), owners: new Set() };
    hosts.set(host, entry);
    return entry;
  };
  for (const server of gateway.servers) {
    for (const owner of bound) {
      for (const host of servedHosts(owner, server)) {
        entryOf(host).servers.add(server);
        entryOf(host).owners.add(owner);
      }
    }
    const isOwned = (hostname: string) => [...hosts.keys()].some((host) => hostnamesMatch(hostname, host));
    for (const { hostname } of server.hosts) if (!isOwned(hostname)) entryOf(hostname).servers.add(server);
  }
  return Array.from(hosts, ([host, { servers, owners }]) => ({
    host,
    gateway,
    servers: [...servers],
    owners: [...owners],
  }));
}

function servedHosts({ hosts, namespace }: VirtualService, server: GatewayServer): readonly string[] {
  const accepted = hostsFor(namespace, server);
  return hosts.filter((host) => accepted.some((each) => hostnamesMatch(each, host)));
}

function isSelected(
  { namespace, labels }: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> },
  { selector, selectsIn = namespace }: Gateway,
): boolean {
  return selectsIn === namespace && selects(selector, labels);
}
