import { type ConfigId, configId } from "../../config/config.ts";
import type { Decider } from "../explanation.ts";

const pattern =
  /^(?<custom>istio-ext-authz-(?:(?<provider>.+?)-)?)?ns\[(?<namespace>[^\]]*)\]-policy\[(?<name>[^\]]*)\]-rule\[(?<rule>\d+)\]/u;

const kind = "AuthorizationPolicy";

/** The rule behind an entry of an RBAC filter, by its name: `ns[shop]-policy[deny]-rule[0]`. */
export interface PolicyRule extends Decider {
  readonly part: string;
  /** The provider that this rule asks, if the name has it. Undefined for rules that decide themselves. */
  readonly provider: string | undefined;
}

/**
 * Empty for entries that Binnacle did not name. At gRPC servers the name is `shop-deny-0`, which may stand for several
 * of the listener's policies: `a-b/c` and `a/b-c`.
 */
export function policyRulesOf(id: string, owners: readonly ConfigId[]): readonly PolicyRule[] {
  const named = policyRuleOf(id);
  return named === undefined ? grpcRulesOf(id, owners) : [named];
}

function grpcRulesOf(id: string, owners: readonly ConfigId[]): readonly PolicyRule[] {
  const { policy, rule } = /^(?<policy>.+)-(?<rule>\d+)$/u.exec(id)?.groups ?? {};
  return policiesIn(owners)
    .filter((owner) => owner.slice(kind.length + 1).replace("/", "-") === policy)
    .map((object) => ({ object, part: `rule ${rule}`, provider: undefined }));
}

/** The AuthorizationPolicies among the objects behind a listener. */
export function policiesIn(owners: readonly ConfigId[]): readonly ConfigId[] {
  return owners.filter((owner) => owner.startsWith(`${kind}/`));
}

/** Undefined for entries of gRPC servers, and for those that Binnacle did not name. */
export function policyRuleOf(id: string): PolicyRule | undefined {
  const { custom, namespace, name, rule, provider = custom && "the provider" } = pattern.exec(id)?.groups ?? {};
  if (namespace === undefined || name === undefined) return undefined;
  return { object: configId(kind, namespace, name), part: `rule ${rule}`, provider };
}

/** For people: `rule 0 of AuthorizationPolicy shop/deny`. */
export function policyText(id: string, owners: readonly ConfigId[]): string {
  const rules = policyRulesOf(id, owners);
  if (rules.length === 0) return `policy ${id}`;
  return rules.map(({ part, object }) => `${part} of ${object.replace("/", " ")}`).join(" or ");
}
