import { configId } from "../../config/config.ts";
import type { Decider } from "../explanation.ts";

const pattern =
  /^(?<custom>istio-ext-authz-(?:(?<provider>.+?)-)?)?ns\[(?<namespace>[^\]]*)\]-policy\[(?<name>[^\]]*)\]-rule\[(?<rule>\d+)\]/u;

/** The rule behind an entry of an RBAC filter, by its name: `ns[shop]-policy[deny]-rule[0]`. */
export interface PolicyRule extends Decider {
  readonly part: string;
  /** The provider that this rule asks, if the name has it. Undefined for rules that decide themselves. */
  readonly provider: string | undefined;
}

/** Undefined for entries that Binnacle did not name. */
export function policyRuleOf(id: string): PolicyRule | undefined {
  const { custom, namespace, name, rule, provider = custom && "the provider" } = pattern.exec(id)?.groups ?? {};
  if (namespace === undefined || name === undefined) return undefined;
  return { object: configId("AuthorizationPolicy", namespace, name), part: `rule ${rule}`, provider };
}

/** For people: `rule 0 of AuthorizationPolicy shop/deny`. */
export function policyText(id: string): string {
  const rule = policyRuleOf(id);
  return rule === undefined ? `policy ${id}` : `${rule.part} of ${rule.object.replace("/", " ")}`;
}
