import { hostnameCovers } from "../../config/grammar/hostname.ts";
import { selects } from "../../config/selector.ts";
import type { Gateway, GatewayServer } from "../../pilot/model/gateway/gateway.ts";
import { mergedGatewayFor } from "../../pilot/model/gateway/merged-gateway.ts";
import { type PortTranslation, portTranslationFor } from "../../pilot/model/gateway/port-translation.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { type Lookup, type LookupContext, labelsText, listText, type NearMiss } from "./near-miss.ts";

type Wanted = NonNullable<Lookup["host"]>;

/** Gateways that would open the port for the host if they selected this router, or said it otherwise. */
export function gatewayMisses({ proxy, push }: LookupContext, wanted: Wanted): readonly NearMiss[] {
  const { namespace, labels, ipAddresses: addresses } = proxy;
  const translation = portTranslationFor({ addresses, namespace, labels }, push);
  const { conflicts } = mergedGatewayFor({ namespace, labels, translation }, push);
  const lost = conflicts
    .filter(({ about }) => about.endsWith(`:${wanted.port}`))
    .flatMap(({ losers, reason }) =>
      losers.map((object) => ({ object, why: `has a server that is left out: ${reason}` })),
    );
  const others = [...push.gateways.values()].flatMap((gateway) => {
    const why = missOf(gateway, proxy, wanted, translation);
    return why === undefined ? [] : [{ object: gateway.owner, why }];
  });
  return [...lost, ...others];
}

function missOf(gateway: Gateway, proxy: Proxy, wanted: Wanted, translation: PortTranslation): string | undefined {
  const { selector, selectsIn = proxy.namespace, servers } = gateway;
  const listens = ({ port }: GatewayServer) => translation.get(port) ?? port;
  const onPort = servers.filter((server) => listens(server) === wanted.port || server.port === wanted.port);
  if (!selects(selector, proxy.labels)) {
    if (onPort.length === 0) return undefined;
    const own = labelsText(proxy.labels, Object.keys(selector));
    return `has that port and selects ${labelsText(selector)}; this proxy has ${own}`;
  }
  if (selectsIn !== proxy.namespace) {
    return onPort.length === 0
      ? undefined
      : `has that port for proxies of namespace ${selectsIn}; this one is in ${proxy.namespace}`;
  }
  const here = onPort.filter((server) => listens(server) === wanted.port);
  if (here.length === 0) {
    const [moved] = onPort;
    if (moved !== undefined) return `has port ${moved.port}, which this proxy listens on as ${listens(moved)}`;
    return `selects this proxy and has port ${listText(servers.map(({ port }) => String(port)))}, not ${wanted.port}`;
  }
  const hosts = here.flatMap((server) => server.hosts.map(({ hostname }) => hostname));
  if (hosts.some((hostname) => hostnameCovers(hostname, wanted.hostname))) return undefined;
  return `has that port for ${listText(hosts)}, not for ${wanted.hostname}`;
}
