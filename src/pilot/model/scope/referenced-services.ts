import { oncePer } from "../../../lib/memo.ts";
import type { Service } from "../service/service.ts";
import { trimService } from "../service/trim-service.ts";
import { type Backend, backendsOf, type VirtualService } from "../traffic/virtual-service.ts";
import type { Importable } from "./egress-scope.ts";
import type { EgressScope } from "./sidecar-scope.ts";

/**
 * Services that imported virtual services route to, although no listener imports them. They need clusters but no
 * listeners. Each has only the referenced ports, or all ports if a destination or mirror names none.
 */
export function referencedServices(egress: readonly EgressScope[], importable: Importable): readonly Service[] {
  const imported = egress.map(({ services }) => hostnamesOf(services));
  const ports = new Map<string, Set<number> | "all">();
  for (const virtualService of new Set(egress.flatMap(({ virtualServices }) => virtualServices))) {
    for (const { hostname, port, callers } of referencesOf(virtualService)) {
      if (callers !== undefined && !callers.has(importable.namespace)) continue;
      if (!imported.some((hostnames) => hostnames.has(hostname)))
        ports.set(hostname, addPort(ports.get(hostname), port));
    }
  }
  const services = [...ports].flatMap(([hostname, wanted]) => {
    const service = find(hostname, importable);
    if (service === undefined || wanted === "all") return service ?? [];
    return trimService(service, wanted) ?? [];
  });
  return services.length === 0 ? none : services;
}

/** A shared empty list, so that its identity stays the same. */
const none: readonly Service[] = [];
const hostnamesOf = oncePer(
  (services: readonly Service[]): ReadonlySet<string> => new Set(services.map(({ hostname }) => hostname)),
);

function addPort(present: Set<number> | "all" | undefined, port: number | undefined): Set<number> | "all" {
  if (port === undefined || present === "all") return "all";
  return new Set([...(present ?? []), port]);
}

interface Reference extends Backend {
  /** The namespaces whose requests the route takes; undefined for all. */
  readonly callers: ReadonlySet<string> | undefined;
}

/** Of one virtual service: those of the others stay when it is edited. */
const referencesOf = oncePer(({ http, tls, tcp }: VirtualService): readonly Reference[] => {
  const ofHttp = http.flatMap((route) => {
    const callers = callersOf(route);
    return Array.from(backendsOf(route), (backend) => ({ ...backend, callers }));
  });
  const ofConnections = [...tls, ...tcp].flatMap(({ destinations }) => destinations);
  return [...ofHttp, ...ofConnections.map((backend) => ({ ...backend, callers: undefined }))];
});

function callersOf({ matches }: VirtualService["http"][number]): ReadonlySet<string> | undefined {
  const namespaces = new Set(matches.map(({ sourceNamespace }) => sourceNamespace));
  return namespaces.size === 0 || namespaces.has("") ? undefined : namespaces;
}

/** A service of the proxy's own namespace takes precedence, then the owner of the hostname. */
function find(hostname: string, { namespace, services }: Importable): Service | undefined {
  const named = services.filter((service) => service.hostname === hostname);
  return named.find((service) => service.namespace === namespace) ?? named[0];
}
