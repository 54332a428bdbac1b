import { RBACSchema as HttpRbacSchema } from "#gen/envoy/extensions/filters/http/rbac/v3/rbac_pb.js";
import { RBACSchema as NetworkRbacSchema } from "#gen/envoy/extensions/filters/network/rbac/v3/rbac_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import {
  type AuthorizationAction,
  type AuthorizationPolicy,
  withoutReplaced,
} from "../../model/policy/authorization-policy.ts";
import type { FilterMessage } from "../filters/filter.ts";
import type { RuleReader } from "./rbac-rule.ts";
import { type Rbac, type RuleName, rbacOf } from "./rbac-rules.ts";

export const httpRbac = "envoy.filters.http.rbac";
export const networkRbac = "envoy.filters.network.rbac";

/** In the order in which a request passes their filters. */
const enforced: readonly AuthorizationAction[] = ["audit", "deny", "allow"];

const ruleName: RuleName = ({ namespace, name }, index) => `ns[${namespace}]-policy[${name}]-rule[${index}]`;

/** One filter for each of AUDIT, DENY and ALLOW that some policy asks for. */
export function rbacFilters(
  policies: readonly AuthorizationPolicy[],
  reader: RuleReader,
  writer: ProtoWriter,
): readonly FilterMessage[] {
  const counting = withoutReplaced(policies);
  return enforced.flatMap((action) => {
    const own = counting.filter((policy) => policy.action === action);
    if (own.length === 0) return [];
    const rules = rbacOf(ofTrial(own, false), reader, ruleName, writer);
    const shadowRules = rbacOf(ofTrial(own, true), reader, ruleName, writer);
    const shadowRulesStatPrefix = trialPrefix(shadowRules === undefined ? "allow" : action);
    return [rbacFilter(reader.carries, { rules, shadowRules, shadowRulesStatPrefix }, writer)];
  });
}

export function ofTrial(policies: readonly AuthorizationPolicy[], dryRun: boolean): readonly AuthorizationPolicy[] {
  return policies.filter((policy) => policy.dryRun === dryRun);
}

/** Istio's dashboards read these names of statistics. */
function trialPrefix(action: AuthorizationAction): string {
  if (action === "deny") return "istio_dry_run_deny_";
  return action === "allow" ? "istio_dry_run_allow_" : "";
}

/** The enforced rules, and those that are only evaluated. */
export interface RbacFilterInputs {
  readonly rules?: Rbac | undefined;
  readonly shadowRules?: Rbac | undefined;
  readonly shadowRulesStatPrefix?: string;
}

export function rbacFilter(carries: "http" | "tcp", inputs: RbacFilterInputs, writer: ProtoWriter): FilterMessage {
  const value =
    carries === "http"
      ? writer.any(HttpRbacSchema, inputs)
      : writer.any(NetworkRbacSchema, { ...inputs, statPrefix: "tcp." });
  return { name: carries === "http" ? httpRbac : networkRbac, configType: { case: "typedConfig", value } };
}
