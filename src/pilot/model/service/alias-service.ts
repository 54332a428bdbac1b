import { Memo } from "../../../lib/memo.ts";
import type { Scope } from "../scope/sidecar-scope.ts";
import type { Service } from "./service.ts";

const made = new Memo<readonly Service[]>();

/** The aliases of a service as services: with names and ports, and nothing else of their own. */
export function aliasServicesOf(service: Service): readonly Service[] {
  return made.get([service], "", () =>
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
}

const byScope = new Memo<ReadonlyMap<string, Service>>();

/** What each alias stands for, among all that a scope sees; by the alias, in lower case. */
export function aliasTargetsIn(scope: Scope): ReadonlyMap<string, Service> {
  return byScope.get([scope], "", () => {
    const pairs = scope.services.flatMap((service) =>
      service.aliases.map(({ hostname }) => [hostname.toLowerCase(), service] as const),
    );
    // A service that really has the name goes before whoever is called so.
    return new Map(pairs.filter(([hostname]) => scope.service(hostname) === undefined));
  });
}
