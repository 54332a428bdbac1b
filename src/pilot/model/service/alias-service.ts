import { oncePer } from "../../../lib/memo.ts";
import type { Scope } from "../scope/sidecar-scope.ts";
import type { Service } from "./service.ts";

/** The aliases of a service as services: only their names and ports are their own. */
export const aliasServicesOf = oncePer((service: Service): readonly Service[] =>
  service.aliases.map(({ hostname, ports, owner }) => ({
    ...service,
    hostname,
    ports,
    owner,
    addresses: [],
    aliases: [],
    // Names of pods are below the service's own name.
    resolution: "static",
  })),
);

/** The target service of each alias in a scope; by the alias in lower case. */
export const aliasTargetsIn = oncePer((scope: Scope): ReadonlyMap<string, Service> => {
  const pairs = scope.services.flatMap((service) =>
    service.aliases.map(({ hostname }) => [hostname.toLowerCase(), service] as const),
  );
  // A service with the hostname takes precedence over an alias.
  return new Map(pairs.filter(([hostname]) => scope.service(hostname) === undefined));
});
