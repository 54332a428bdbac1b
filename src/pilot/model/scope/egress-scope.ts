import { hostnameCovers, hostnamesMatch } from "../../../config/grammar/hostname.ts";
import { memoize, oncePer } from "../../../lib/memo.ts";
import { compareServiceAge } from "../compare-age.ts";
import type { Service } from "../service/service.ts";
import { trimService } from "../service/trim-service.ts";
import { routesConnections, type VirtualService } from "../traffic/virtual-service.ts";
import type { EgressListener, HostImport } from "./sidecar.ts";
import type { EgressScope } from "./sidecar-scope.ts";

/** Everything that a namespace can import. */
export interface Importable {
  /** The namespace of the proxy. */
  readonly namespace: string;
  /** The owner of a hostname comes before other services of that hostname. */
  readonly services: readonly Service[];
  /** In the order in which they apply. */
  readonly virtualServices: readonly VirtualService[];
}

/** The listener of proxies that no Sidecar narrows: everything, on every port. */
export const importsEverything: EgressListener = {
  port: undefined,
  bind: "",
  captureMode: "default",
  hosts: [{ namespace: "*", hostname: "*", excluded: false }],
};

/**
 * The list of imports stays the same object while the services and the listener stay the same. Namespaces that import
 * the same share it. Memos use the list as a key.
 */
export function egressScopeOf(listener: EgressListener, importable: Importable): EgressScope {
  const { port, bind, captureMode } = listener;
  const { namespace } = importable;
  return {
    port,
    bind,
    captureMode,
    services: importServices([importable.services, listener], {
      namespace: dependsOnNamespace(listener, importable.services) ? namespace : "",
    }),
    virtualServices: importedVirtualServices(listener, importable),
  };
}

/** The virtual services that a listener imports. */
export function importedVirtualServices(
  { hosts }: EgressListener,
  { namespace, virtualServices }: Pick<Importable, "namespace" | "virtualServices">,
): readonly VirtualService[] {
  return virtualServices.filter((virtualService) =>
    imports(hosts, namespace, virtualService.namespace, (host) =>
      virtualService.hosts.some((other) => hostnamesMatch(host, other)),
    ),
  );
}

/** Whether a namespace imports other services than the next: its own ones, or its own one of a hostname. */
function dependsOnNamespace({ hosts }: EgressListener, services: readonly Service[]): boolean {
  return hosts.some(({ namespace }) => namespace === ".") || haveRivals(services);
}

const haveRivals = oncePer(
  (services: readonly Service[]): boolean => new Set(services.map(({ hostname }) => hostname)).size < services.length,
);

const importServices = memoize(
  (
    [services, listener]: readonly [readonly Service[], EgressListener],
    { namespace }: { readonly namespace: string },
  ): readonly Service[] => {
    const { hosts } = listener;
    const byHostname = new Map<string, Service>();
    for (const candidate of services) {
      if (!imports(hosts, namespace, candidate.namespace, (host) => hostnameCovers(host, candidate.hostname))) continue;
      const service = trimToPort(candidate, listener);
      if (service === undefined) continue;
      const present = byHostname.get(service.hostname);
      // A service of the proxy's own namespace takes precedence.
      const wins = present === undefined || (present.namespace !== namespace && service.namespace === namespace);
      if (wins) byHostname.set(service.hostname, service);
    }
    return [...byHostname.values()].toSorted(compareServiceAge);
  },
);

/** Exclusions override imports in any order. */
function imports(
  hosts: readonly HostImport[],
  own: string,
  namespace: string,
  accepts: (hostname: string) => boolean,
): boolean {
  const meant = hosts.filter((host) => importsNamespace(host, own, namespace) && accepts(host.hostname));
  return meant.length > 0 && meant.every(({ excluded }) => !excluded);
}

function importsNamespace(host: HostImport, own: string, namespace: string): boolean {
  return host.namespace === "*" || namespace === (host.namespace === "." ? own : host.namespace);
}

/**
 * A listener with a port imports only services with that port, reduced to that port. An HTTP proxy listener imports
 * all.
 */
function trimToPort(service: Service, { port }: EgressListener): Service | undefined {
  if (port === undefined || port.number === 0 || port.protocol === "HTTP_PROXY") return service;
  return trimService(service, new Set([port.number]));
}

/** The virtual services of an egress listener with TCP or TLS routes: usually none. */
export const virtualServicesWithConnections = oncePer(({ virtualServices }: EgressScope): readonly VirtualService[] =>
  virtualServices.filter(routesConnections),
);
