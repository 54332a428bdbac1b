import { compareHostnames, hostnameCovers, hostnamesMatch, isWildcard } from "../../../../config/hostname.ts";
import { Memo } from "../../../../lib/memo.ts";
import type { Service } from "../../../model/service.ts";
import type { EgressScope } from "../../../model/sidecar-scope.ts";
import type { VirtualService } from "../../../model/virtual-service.ts";

/** By hostname in lower case, in the order of the egress listener. */
export type ServicesByHostname = ReadonlyMap<string, Service>;

/** What an egress listener imports, made easy to find. */
export interface EgressIndex {
  /** The services that have this port; all of them for 0. */
  servicesOn(port: number): ServicesByHostname;
  /** The services that a name may stand for, or that may stand for it. */
  servicesMatching(host: string): readonly Service[];
  /** The virtual service with the most specific name for a host; of several with that name the first. */
  virtualServiceFor(hostname: string): VirtualService | undefined;
}

const indexes = new Memo<EgressIndex>();

export function egressIndexOf(egress: EgressScope): EgressIndex {
  return indexes.get([egress], "", () => {
    const byPort = servicesByPort(egress.services);
    const all = byPort.get(0) ?? noServices;
    const wildServices = [...all.keys()].filter(isWildcard);
    const byHost = virtualServicesByHost(egress.virtualServices);
    const wildHosts = [...byHost.keys()].filter(isWildcard).toSorted(compareHostnames);
    return {
      servicesOn: (port) => byPort.get(port) ?? noServices,
      servicesMatching: (host) => {
        const candidates = isWildcard(host) ? [...all.keys()] : [host.toLowerCase(), ...wildServices];
        return matching(host, candidates).flatMap((hostname) => all.get(hostname) ?? []);
      },
      virtualServiceFor: (hostname) => {
        const name = hostname.toLowerCase();
        const closest = byHost.has(name) ? name : wildHosts.find((host) => hostnameCovers(host, name));
        return closest === undefined ? undefined : byHost.get(closest);
      },
    };
  });
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
    const hostname = service.hostname.toLowerCase();
    byPort.get(0)?.set(hostname, service);
    for (const { number, protocol } of service.ports) {
      if (protocol === "UDP") continue;
      const present = byPort.get(number);
      if (present === undefined) byPort.set(number, new Map([[hostname, service]]));
      else present.set(hostname, service);
    }
  }
  return byPort;
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
