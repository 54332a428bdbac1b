import { compareHostnames, hostnameCovers, hostnamesMatch, isWildcard } from "../../../../config/grammar/hostname.ts";
import { oncePer } from "../../../../lib/memo.ts";
import type { EgressScope } from "../../../model/scope/sidecar-scope.ts";
import { aliasServicesOf } from "../../../model/service/alias-service.ts";
import type { Service } from "../../../model/service/service.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";

/** By hostname in lower case, in the order of the egress listener. */
export type ServicesByHostname = ReadonlyMap<string, Service>;

/** An alias as a service. */
interface AliasService {
  readonly alias: Service;
  readonly target: Service;
}

/** A lookup index of the imports of an egress listener. */
export interface EgressIndex {
  /** The services that have this port; all of them for 0. */
  servicesOn(port: number): ServicesByHostname;
  /** The aliases that have this port. */
  aliasesOn(port: number): ReadonlyMap<string, AliasService>;
  /** Services and aliases, as services. A hostname takes precedence over an alias. */
  namesOn(port: number): ServicesByHostname;
  /** Services that a name matches, or whose wildcard matches the name. */
  servicesMatching(host: string): readonly Service[];
  /** Services with an alias that this name matches. */
  aliasesMatching(host: string): readonly Service[];
  /** The virtual service with the most specific name for a host; of several with that name the first. */
  virtualServiceFor(hostname: string): VirtualService | undefined;
}

type ServiceIndex = Omit<EgressIndex, "virtualServiceFor">;

export const egressIndexOf = oncePer(
  ({ services, virtualServices }: EgressScope): EgressIndex => ({
    ...serviceIndexOf(services),
    virtualServiceFor: virtualServiceIndexOf(virtualServices),
  }),
);

/** Services stay the same when virtual services change, and there are many of them. */
export const serviceIndexOf = oncePer((services: readonly Service[]): ServiceIndex => {
  const byPort = servicesByPort(services);
  const aliases = aliasesByPort(services);
  const names = new Map(Array.from(aliases, ([port, named]) => [port, withAliases(byPort.get(port), named)]));
  const all = byPort.get(0) ?? noServices;
  const wildServices = [...all.keys()].filter(isWildcard);
  return {
    servicesOn: (port) => byPort.get(port) ?? noServices,
    aliasesOn: (port) => aliases.get(port) ?? noAliases,
    namesOn: (port) => names.get(port) ?? byPort.get(port) ?? noServices,
    servicesMatching: (host) => {
      const candidates = isWildcard(host) ? [...all.keys()] : [host.toLowerCase(), ...wildServices];
      return matching(host, candidates).flatMap((hostname) => all.get(hostname) ?? []);
    },
    aliasesMatching: (host) => {
      const named = aliases.get(0) ?? noAliases;
      const candidates = isWildcard(host) ? [...named.keys()] : [host.toLowerCase()];
      return matching(host, candidates).flatMap((hostname) => named.get(hostname)?.target ?? []);
    },
  };
});

function virtualServiceIndexOf(virtualServices: readonly VirtualService[]): EgressIndex["virtualServiceFor"] {
  const byHost = virtualServicesByHost(virtualServices);
  const wildHosts = [...byHost.keys()].filter(isWildcard).toSorted(compareHostnames);
  return (hostname) => {
    const name = hostname.toLowerCase();
    const closest = byHost.has(name) ? name : wildHosts.find((host) => hostnameCovers(host, name));
    return closest === undefined ? undefined : byHost.get(closest);
  };
}

/** Those of `hostnames`, which are in lower case, that match a host. */
export function matching(host: string, hostnames: readonly string[]): readonly string[] {
  const name = host.toLowerCase();
  return hostnames.filter((hostname) => hostnamesMatch(name, hostname));
}

const noServices: ServicesByHostname = new Map();

function servicesByPort(services: readonly Service[]): ReadonlyMap<number, ServicesByHostname> {
  const byPort = new Map<number, Map<string, Service>>([[0, new Map()]]);
  for (const service of services) {
    for (const port of portsOf(service)) addTo(byPort, port, service.hostname, service);
  }
  return byPort;
}

const noAliases: ReadonlyMap<string, AliasService> = new Map();

function aliasesByPort(services: readonly Service[]): ReadonlyMap<number, ReadonlyMap<string, AliasService>> {
  const byPort = new Map<number, Map<string, AliasService>>();
  for (const target of services) {
    for (const alias of aliasServicesOf(target)) {
      for (const port of portsOf(alias)) addTo(byPort, port, alias.hostname, { alias, target });
    }
  }
  return byPort;
}

function withAliases(services = noServices, aliases: ReadonlyMap<string, AliasService>): ServicesByHostname {
  const called = Array.from(aliases, ([hostname, { alias }]) => [hostname, alias] as const);
  return new Map([...called, ...services]);
}

/** 0 for all of them. */
function portsOf({ ports }: Service): readonly number[] {
  return [0, ...ports.filter(({ protocol }) => protocol !== "UDP").map(({ number }) => number)];
}

function addTo<V>(byPort: Map<number, Map<string, V>>, port: number, hostname: string, value: V): void {
  const present = byPort.get(port);
  if (present === undefined) byPort.set(port, new Map([[hostname.toLowerCase(), value]]));
  else present.set(hostname.toLowerCase(), value);
}

function virtualServicesByHost(virtualServices: readonly VirtualService[]): ReadonlyMap<string, VirtualService> {
  const byHost = new Map<string, VirtualService>();
  for (const virtualService of virtualServices) {
    for (const host of virtualService.hosts) {
      const name = host.toLowerCase();
      if (!byHost.has(name)) byHost.set(name, virtualService);
    }
  }
  return byHost;
}
