import { oncePer } from "../../../lib/memo.ts";
import type { Scope } from "../scope/sidecar-scope.ts";
import type { Service } from "./service.ts";

/** The aliases of a service as services: with names and ports, and nothing else of their own. */
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

/** What each alias stands for, among all that a scope sees; by the alias, in lower case. */
export const aliasTargetsIn = oncePer((scope: Scope): ReadonlyMap<string, Service> => {
  const pairs = scope.services.flatMap((service) =>
    service.aliases.map(({ hostname }) => [hostname.toLowerCase(), service] as const),
  );
  // A service that really has the name goes before whoever is called so.
  return new Map(pairs.filter(([hostname]) => scope.service(hostname) === undefined));
});
