import { compareHostnames, hostnameCovers, isWildcard } from "../../../../config/hostname.ts";
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
  /** The virtual service with the most specific name for a host; of several with that name the first. */
  virtualServiceFor(hostname: string): VirtualService | undefined;
}

const indexes = new Memo<EgressIndex>();

export function egressIndexOf(egress: EgressScope): EgressIndex {
  return indexes.get([egress], "", () => {
    const byPort = servicesByPort(egress.services);
    const byHost = virtualServicesByHost(egress.virtualServices);
    const wildcards = [...byHost.keys()].filter(isWildcard).toSorted(compareHostnames);
    return {
      servicesOn: (port) => byPort.get(port) ?? noServices,
      virtualServiceFor: (hostname) => {
        const name = hostname.toLowerCase();
        return byHost.get(name) ?? byHost.get(wildcards.find((wildcard) => hostnameCovers(wildcard, name)) ?? "");
      },
    };
  });
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
