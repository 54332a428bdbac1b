import { meshGateway } from "../../config/grammar/gateway-reference.ts";
import { hostnameCovers, hostnamesMatch, isWildcard } from "../../config/grammar/hostname.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { gatewayRef, hostsFor } from "../../pilot/model/gateway/gateway.ts";
import { type MergedServer, mergedGatewayFor } from "../../pilot/model/gateway/merged-gateway.ts";
import { portTranslationFor } from "../../pilot/model/gateway/port-translation.ts";
import { isVisibleFrom } from "../../pilot/model/service/visibility.ts";
import type { VirtualService } from "../../pilot/model/traffic/virtual-service.ts";
import { type Lookup, type LookupContext, listText, type NearMiss } from "./near-miss.ts";

type Wanted = NonNullable<Lookup["host"]>;

/** VirtualServices for the host that do not apply here, and those here whose host is nearly the one. */
export function virtualServiceMisses(context: LookupContext, wanted: Wanted): readonly NearMiss[] {
  const servers = context.proxy.type === "router" ? serversOn(wanted.port, context) : [];
  const ways = context.proxy.type === "router" ? servers.map(({ gateway }) => gatewayRef(gateway)) : [meshGateway];
  // Where nothing listens, no VirtualService is to blame.
  if (ways.length === 0) return [];
  return [...context.push.virtualServices.values()].flatMap((virtualService) => {
    const why = missOf(virtualService, wanted.hostname, {
      ways: new Set(ways),
      servers,
      namespace: context.proxy.namespace,
    });
    return why === undefined ? [] : [{ object: virtualService.owner, why }];
  });
}

/** The servers by which requests come to a port of this router. */
function serversOn(port: number, { proxy, push }: LookupContext): readonly MergedServer[] {
  const { namespace, labels, ipAddresses: addresses } = proxy;
  const translation = portTranslationFor({ addresses, namespace, labels }, push);
  const { ports } = mergedGatewayFor({ namespace, labels, translation }, push);
  return ports.filter((each) => each.port === port).flatMap(({ servers }) => servers);
}

interface StreamAdmission {
  readonly ways: ReadonlySet<string>;
  readonly servers: readonly MergedServer[];
  readonly namespace: string;
}

function missOf(virtualService: VirtualService, hostname: string, entrance: StreamAdmission): string | undefined {
  const { hosts, gateways, exportTo } = virtualService;
  const { ways, servers, namespace } = entrance;
  const host = hosts.find((each) => hostnameCovers(each, hostname));
  const bound = gateways.filter((gateway) => ways.has(gateway));
  if (host === undefined) {
    const near =
      bound.length === 0
        ? undefined
        : didYouMean(
            hostname,
            hosts.filter((each) => !isWildcard(each)),
          );
    return near === undefined ? undefined : `has host ${near}, which is similar to ${hostname}`;
  }
  if (bound.length === 0)
    return `has host ${host} and is bound to ${listText(gateways)}, not to ${listText([...ways])}`;
  if (!isVisibleFrom(namespace, virtualService)) {
    return `has host ${host}, and its exportTo (${listText(exportTo)}) hides it from namespace ${namespace}`;
  }
  const admitted = servers
    .filter(({ gateway }) => bound.includes(gatewayRef(gateway)))
    .flatMap(({ server }) => hostsFor(virtualService.namespace, server));
  if (servers.length === 0 || admitted.some((each) => hostnamesMatch(each, host))) return undefined;
  return `has host ${host}, which no server of ${listText(bound)} takes from namespace ${virtualService.namespace}`;
}
