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
    for (const { hostname, port } of referencesOf(virtualService, importable.namespace)) {
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

/** Ignores routes that only match requests of other namespaces. */
function* referencesOf(virtualService: VirtualService, namespace: string): Generator<Backend> {
  for (const route of virtualService.http) {
    const { matches } = route;
    const elsewhere =
      matches.length > 0 && matches.every((match) => isOtherNamespace(match.sourceNamespace, namespace));
    if (!elsewhere) yield* backendsOf(route);
  }
  for (const { destinations } of [...virtualService.tls, ...virtualService.tcp]) yield* destinations;
}

function isOtherNamespace(sourceNamespace: string, namespace: string): boolean {
  return sourceNamespace !== "" && sourceNamespace !== namespace;
}

/** A service of the proxy's own namespace takes precedence, then the owner of the hostname. */
function find(hostname: string, { namespace, services }: Importable): Service | undefined {
  const named = services.filter((service) => service.hostname === hostname);
  return named.find((service) => service.namespace === namespace) ?? named[0];
}
