import { hostnameCovers, hostnamesMatch } from "../../../config/grammar/hostname.ts";
import { Memo } from "../../../lib/memo.ts";
import { compareServiceAge } from "../compare-age.ts";
import type { Service } from "../service/service.ts";
import { trimService } from "../service/trim-service.ts";
import type { VirtualService } from "../traffic/virtual-service.ts";
import type { EgressListener, HostImport } from "./sidecar.ts";
import type { EgressScope } from "./sidecar-scope.ts";

/** What a namespace could import at all. */
export interface Importable {
  /** Of the proxy. */
  readonly namespace: string;
  /** The owner of a hostname before others of that name. */
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

/** While services and the listener stay the same, so does the list of what is imported: others remember things by it. */
export function egressScopeOf(listener: EgressListener, importable: Importable): EgressScope {
  const { port, bind, captureMode, hosts } = listener;
  const { namespace } = importable;
  return {
    port,
    bind,
    captureMode,
    services: importedServices(listener, importable),
    virtualServices: importable.virtualServices.filter((virtualService) =>
      imports(hosts, namespace, virtualService.namespace, (host) =>
        virtualService.hosts.some((other) => hostnamesMatch(host, other)),
      ),
    ),
  };
}

const imported = new Memo<readonly Service[]>();

function importedServices(listener: EgressListener, { namespace, services }: Importable): readonly Service[] {
  return imported.get([services, listener], namespace, () => importServices(listener, namespace, services));
}

function importServices(listener: EgressListener, namespace: string, services: readonly Service[]): readonly Service[] {
  const { hosts } = listener;
  const byHostname = new Map<string, Service>();
  for (const candidate of services) {
    if (!imports(hosts, namespace, candidate.namespace, (host) => hostnameCovers(host, candidate.hostname))) continue;
    const service = trimToPort(candidate, listener);
    if (service === undefined) continue;
    const present = byHostname.get(service.hostname);
    // The proxy's own namespace knows best what it means by a name.
    const wins = present === undefined || (present.namespace !== namespace && service.namespace === namespace);
    if (wins) byHostname.set(service.hostname, service);
  }
  return [...byHostname.values()].toSorted(compareServiceAge);
}

/** Exclusions stand above imports, whatever their order. */
function imports(
  hosts: readonly HostImport[],
  own: string,
  namespace: string,
  accepts: (hostname: string) => boolean,
): boolean {
  const meant = hosts.filter((host) => isMeant(host, own, namespace) && accepts(host.hostname));
  return meant.length > 0 && meant.every(({ excluded }) => !excluded);
}

function isMeant(host: HostImport, own: string, namespace: string): boolean {
  return host.namespace === "*" || namespace === (host.namespace === "." ? own : host.namespace);
}

/** A listener with a port takes only services that have it, and of them only that port; an HTTP proxy takes all. */
function trimToPort(service: Service, { port }: EgressListener): Service | undefined {
  if (port === undefined || port.number === 0 || port.protocol === "HTTP_PROXY") return service;
  return trimService(service, new Set([port.number]));
}
