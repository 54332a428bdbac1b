import type { ConfigId, Labels } from "../../../config/config.ts";
import { memoize, oncePer } from "../../../lib/memo.ts";
import type { PushContext } from "../push-context.ts";
import type { Scope } from "../scope/sidecar-scope.ts";
import type { Service } from "../service/service.ts";
import type { ConsistentHash, DestinationRule, TrafficPolicy } from "./destination-rule.ts";
import { ruleFor } from "./rule-for.ts";
import type { Backend } from "./virtual-service.ts";

/** The hash that sends equal requests to the same endpoint. */
export interface AppliedHash {
  readonly hash: ConsistentHash;
  /** The rules that configure the hash. */
  readonly owners: readonly ConfigId[];
}

/** Returns the hash of a backend, if a rule configures one. */
export type HashLookup = (backend: Backend) => AppliedHash | undefined;

/** Used where rules are unknown: no request has session affinity. */
export const noHashes: HashLookup = () => undefined;

/**
 * The hashes that rules configure, for all services in a scope.
 * @param selected the clients' labels that rules use to select workloads
 */
export function hashLookupFor(scope: Scope, selected: Labels, push: PushContext): HashLookup {
  if (!hasHashes(push.hostRules)) return noHashes;
  // Not the scope itself, which is another one after each edit of a virtual service.
  return buildLookup([scope.services, push.hostRules, push.mesh], { namespace: scope.namespace, selected });
}

const byHostname = oncePer(
  (services: Scope["services"]): ReadonlyMap<string, Service> =>
    new Map(services.map((service) => [service.hostname, service])),
);

const buildLookup = memoize(
  (
    [services, hostRules, mesh]: readonly [Scope["services"], PushContext["hostRules"], PushContext["mesh"]],
    { namespace, selected }: { readonly namespace: string; readonly selected: Labels },
  ): HashLookup =>
    (backend) => {
      const service = byHostname(services).get(backend.hostname);
      const rule = service && ruleFor(service, namespace, { hostRules, mesh }, selected);
      const hash = rule && hashIn(rule, backend);
      return hash && { hash, owners: rule.owners };
    },
);

/** True when any rule configures a hash. Most meshes have no such rule but many services, so this check saves time. */
export const hasHashes = oncePer((hostRules: PushContext["hostRules"]): boolean =>
  [...hostRules.values()].some(({ rules }) => rules.some((rule) => hashesOf(rule).length > 0)),
);

/**
 * The most specific policy applies: subset port, subset, port, whole rule. A port policy applies only to its own port.
 */
function hashIn({ subsets, trafficPolicy }: DestinationRule, { subset, port }: Backend): ConsistentHash | undefined {
  const own = subsets.find(({ name }) => name === subset)?.trafficPolicy;
  return portHash(own, port) ?? wholeHash(own) ?? portHash(trafficPolicy, port) ?? wholeHash(trafficPolicy);
}

function portHash(policy: TrafficPolicy | undefined, port: number | undefined): ConsistentHash | undefined {
  return port === undefined ? undefined : policy?.ports.get(port)?.loadBalancer?.consistentHash;
}

function wholeHash(policy: TrafficPolicy | undefined): ConsistentHash | undefined {
  return policy?.loadBalancer?.consistentHash;
}

/** Every hash of a rule, with its path in the rule. Rules with equal hashes have equal routes. */
export function hashesOf(rule: DestinationRule): readonly (readonly [path: string, hash: ConsistentHash])[] {
  return [
    ...hashesOfPolicy("", rule.trafficPolicy),
    ...rule.subsets.flatMap(({ name, trafficPolicy }) => hashesOfPolicy(name, trafficPolicy)),
  ];
}

function hashesOfPolicy(subset: string, policy: TrafficPolicy | undefined) {
  const ports = [...(policy?.ports ?? [])].map(([port, { loadBalancer }]) => [port, loadBalancer] as const);
  return [["", policy?.loadBalancer] as const, ...ports].flatMap(([port, loadBalancer]) => {
    const hash = loadBalancer?.consistentHash;
    return hash === undefined ? [] : [[`${subset}/${port}`, hash] as const];
  });
}
