import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { AuthorizationPolicy } from "../../model/policy/authorization-policy.ts";
import type { ExtAuthzProvider } from "../../model/policy/ext-authz-provider.ts";
import type { FilterMessage } from "../filters/filter.ts";
import { httpExtAuthz, networkExtAuthz, type Reachable } from "./ext-authz.ts";
import { httpRbac, networkRbac, ofTrial, rbacFilter } from "./rbac-filters.ts";
import type { RuleReader } from "./rbac-rule.ts";
import { type RuleName, rbacOf } from "./rbac-rules.ts";

const prefix = "istio-ext-authz";
const statPrefix = "istio_ext_authz_";

const ruleName: RuleName = ({ namespace, name }, index) => `${prefix}-ns[${namespace}]-policy[${name}]-rule[${index}]`;
const denyName: RuleName = (policy, index) => `${ruleName(policy, index)}-deny-due-to-bad-CUSTOM-action`;

/**
 * The filters of CUSTOM policies. An RBAC filter notes which rule matches and decides nothing; a filter after it asks
 * the provider about requests that matched. A workload can ask one provider only. Where several are named, or one that
 * is unknown, the requests that the provider would decide about are denied.
 */
export function customFilters(
  policies: readonly AuthorizationPolicy[],
  providers: readonly ExtAuthzProvider[],
  reader: RuleReader,
  writer: ProtoWriter,
): readonly FilterMessage[] {
  const custom = ofTrial(policies, false).filter(({ action }) => action === "custom");
  if (custom.length === 0) return [];
  const { carries } = reader;
  const provider = providerOf(custom, providers);
  if (provider === undefined) {
    return [rbacFilter(carries, { rules: rbacOf(custom, reader, denyName, writer) }, writer)];
  }
  // HTTP cannot ask about a connection without requests.
  if (carries === "tcp" && provider.type === "ext-authz-http") return [];
  const shadowRules = rbacOf(custom, reader, ruleName, writer);
  const matching = rbacFilter(carries, { shadowRules, shadowRulesStatPrefix: statPrefix }, writer);
  const filter = carries === "http" ? httpRbac : networkRbac;
  const matched = { filter, key: `${statPrefix}shadow_effective_policy_id`, prefix };
  const asking =
    carries === "tcp" && provider.type === "ext-authz-grpc"
      ? networkExtAuthz(provider, matched, writer)
      : httpExtAuthz(provider, matched, writer);
  return [matching, asking];
}

/** The only provider of the policies, if its service is known. */
function providerOf(
  custom: readonly AuthorizationPolicy[],
  providers: readonly ExtAuthzProvider[],
): Reachable | undefined {
  const names = new Set(custom.map(({ provider }) => provider));
  const provider = providers.find(({ name }) => names.has(name));
  if (names.size !== 1 || provider?.cluster === undefined) return undefined;
  return { ...provider, cluster: provider.cluster };
}
