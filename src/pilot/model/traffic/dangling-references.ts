import type { ConfigId } from "../../../config/config.ts";
import { meshGateway } from "../../../config/grammar/gateway-reference.ts";
import { hostnameCovers, isWildcard } from "../../../config/grammar/hostname.ts";
import { oncePer } from "../../../lib/memo.ts";
import type { PushContext } from "../push-context.ts";
import type { Backend, VirtualService } from "./virtual-service.ts";
import { backendsOf } from "./virtual-service.ts";

/** A name in an object that leads nowhere, and what happens instead. */
export interface DanglingReference {
  readonly owner: ConfigId;
  readonly type: "destination" | "subset" | "gateway" | "delegate";
  readonly name: string;
  /** In words for people. */
  readonly fallback: string;
}

const fallbacks: Readonly<Record<DanglingReference["type"], string>> = {
  destination: "requests that go there fail with 503",
  subset: "requests that go there fail with 503",
  gateway: "nobody serves its routes there",
  delegate: "the route that delegates is left out",
};

/**
 * The references of a virtual service that lead nowhere, whoever looks: in the mesh as it is served, with what all
 * sources and Galleys brought, gateways made of Ingresses, and other names of services. Analysis (`config/analysis`)
 * asks the same of objects as they are written, also where no Pilot is, and can say at which field; it knows no model,
 * and the model no fields. So each asks for itself.
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

/** Also the names that services are called by otherwise. */
const hostnamesAmong = oncePer((services: PushContext["services"]): ReadonlySet<string> => {
  const named = [...services.values()].flatMap(({ hostname, aliases }) => [
    hostname,
    ...aliases.map((alias) => alias.hostname),
  ]);
  return new Set(named);
});

interface Subsets {
  /** By the host of their rules. */
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

/** Of any rule that covers the host: which of them counts, depends on who looks. */
function isSubset(hostname: string, subset: string, { hostRules }: PushContext): boolean {
  const { exact, wildcards } = subsetsAmong(hostRules);
  if (exact.get(hostname)?.has(subset)) return true;
  return wildcards.some(([host, names]) => names.has(subset) && hostnameCovers(host, hostname));
}
