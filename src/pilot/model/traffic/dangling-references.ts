import type { ConfigId } from "../../../config/config.ts";
import { meshGateway } from "../../../config/grammar/gateway-reference.ts";
import { hostnameCovers, isWildcard } from "../../../config/grammar/hostname.ts";
import { oncePer } from "../../../lib/memo.ts";
import type { PushContext } from "../push-context.ts";
import type { Backend, VirtualService } from "./virtual-service.ts";
import { backendsOf } from "./virtual-service.ts";

/** A reference in an object to something that does not exist, and the behaviour instead. */
export interface DanglingReference {
  readonly owner: ConfigId;
  readonly type: "destination" | "subset" | "gateway" | "delegate";
  readonly name: string;
  /** In words for users. */
  readonly fallback: string;
}

const fallbacks: Readonly<Record<DanglingReference["type"], string>> = {
  destination: "requests that go there fail with 503",
  subset: "requests that go there fail with 503",
  gateway: "nobody serves its routes there",
  delegate: "the route that delegates is left out",
};

/**
 * References of a virtual service that lead nowhere for every proxy. They are checked in the mesh as it is served: with
 * objects of all sources and Galleys, gateways made from Ingresses, and aliases. Analysis (`config/analysis`) checks
 * the written objects instead. It works without a Pilot and knows the field. It does not know the model, and the model
 * does not know fields. So each has its own check.
 */
export function danglingReferencesOf(virtualService: VirtualService, push: PushContext): readonly DanglingReference[] {
  const { owner, gateways, missingDelegates } = virtualService;
  const dangling = (type: DanglingReference["type"], name: string) => ({
    owner,
    type,
    name,
    fallback: fallbacks[type],
  });
  const absent = gateways.filter((gateway) => gateway !== meshGateway && push.gateways.get(gateway) === undefined);
  const destinations = allBackends(virtualService).flatMap(({ hostname, subset }) => {
    if (!hostnamesAmong(push.services).has(hostname)) return [dangling("destination", hostname)];
    return subset === "" || isSubset(hostname, subset, push) ? [] : [dangling("subset", `${subset} of ${hostname}`)];
  });
  const found = [
    ...absent.map((gateway) => dangling("gateway", gateway)),
    ...missingDelegates.map((key) => dangling("delegate", key)),
    ...destinations,
  ];
  return [...new Map(found.map((each) => [`${each.type} ${each.name}`, each])).values()];
}

function allBackends({ http, tcp, tls }: VirtualService): readonly Backend[] {
  return [...http.flatMap(backendsOf), ...[...tcp, ...tls].flatMap(({ destinations }) => destinations)];
}

/** Includes aliases of services. */
const hostnamesAmong = oncePer((services: PushContext["services"]): ReadonlySet<string> => {
  const named = [...services.values()].flatMap(({ hostname, aliases }) => [
    hostname,
    ...aliases.map((alias) => alias.hostname),
  ]);
  return new Set(named);
});

interface Subsets {
  /** By the host of the rules. */
  readonly exact: ReadonlyMap<string, ReadonlySet<string>>;
  readonly wildcards: readonly (readonly [host: string, names: ReadonlySet<string>])[];
}

const subsetsAmong = oncePer((hostRules: PushContext["hostRules"]): Subsets => {
  const byHost = Map.groupBy(hostRules.values(), ({ host }) => host);
  const named = Array.from(byHost, ([host, all]) => {
    const names = all.flatMap(({ rules }) => rules.flatMap((rule) => rule.subsets.map(({ name }) => name)));
    return [host, new Set(names)] as const;
  });
  return { exact: new Map(named), wildcards: named.filter(([host]) => isWildcard(host)) };
});

/** Checks every rule that covers the host, because the rule that applies depends on the client. */
function isSubset(hostname: string, subset: string, { hostRules }: PushContext): boolean {
  const { exact, wildcards } = subsetsAmong(hostRules);
  if (exact.get(hostname)?.has(subset)) return true;
  return wildcards.some(([host, names]) => names.has(subset) && hostnameCovers(host, hostname));
}
