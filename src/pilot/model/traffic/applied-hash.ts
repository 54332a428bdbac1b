import type { ConfigId } from "../../../config/config.ts";
import { Memo, oncePer } from "../../../lib/memo.ts";
import type { Labels } from "../labels.ts";
import { labelsId } from "../labels.ts";
import type { PushContext } from "../push-context.ts";
import type { Scope } from "../scope/sidecar-scope.ts";
import type { ConsistentHash, DestinationRule, TrafficPolicy } from "./destination-rule.ts";
import { ruleFor } from "./rule-for.ts";
import type { Backend } from "./virtual-service.ts";

/** What keeps equal requests to a destination with one endpoint. */
export interface AppliedHash {
  readonly hash: ConsistentHash;
  /** The rules that ask for it. */
  readonly owners: readonly ConfigId[];
}

/** What keeps equal requests to a backend together, if some rule asks for it. */
export type HashLookup = (backend: Backend) => AppliedHash | undefined;

const lookups = new Memo<HashLookup>();

/** Nothing is known of rules: no request stays with an endpoint. */
export const noHashes: HashLookup = () => undefined;

/**
 * The hashes that rules ask for, of all that a scope sees.
 * @param selected of the clients' labels those that rules select by
 */
export function hashLookupFor(scope: Scope, selected: Labels, push: PushContext): HashLookup {
  if (!asksForHashes(push.hostRules)) return noHashes;
  return lookups.get([scope, push.hostRules, push.mesh], labelsId(selected), () => (backend) => {
    const service = scope.service(backend.hostname);
    const rule = service && ruleFor(service, scope.namespace, push, selected);
    const hash = rule && hashIn(rule, backend);
    return hash && { hash, owners: rule.owners };
  });
}

/** Whether any rule does: most meshes have none that do, and many services to look for. */
export const asksForHashes = oncePer((hostRules: PushContext["hostRules"]): boolean =>
  [...hostRules.values()].some(({ rules }) => rules.some((rule) => hashesOf(rule).length > 0)),
);

/** The closest word counts: of the subset's port, the subset, the port, the whole. Ports count where they are named. */
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

/** Every hash that a rule asks for, with where: rules with equal ones have equal routes. */
export function hashesOf(rule: DestinationRule): readonly (readonly [place: string, hash: ConsistentHash])[] {
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
