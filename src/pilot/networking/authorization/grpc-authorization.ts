import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import { type AuthorizationAction, withoutReplaced } from "../../model/policy/authorization-policy.ts";
import type { TrafficPolicies } from "../../model/policy/traffic-policies.ts";
import type { FilterMessage } from "../filters/filter.ts";
import { httpRbac, ofTrial, rbacFilter } from "./rbac-filters.ts";
import { type RuleName, rbacOf } from "./rbac-rules.ts";

const ruleName: RuleName = ({ namespace, name }, index) => `${namespace}-${name}-${index}`;

/** gRPC requires different names for the filters of a chain. */
const filters: readonly (readonly [actions: readonly AuthorizationAction[], name: string])[] = [
  [["custom", "deny"], `${httpRbac}.DENY`],
  [["allow"], httpRbac],
];

/**
 * The filters of gRPC servers, which enforce DENY and ALLOW themselves. They cannot audit. They cannot ask a provider
 * either, so the requests that a provider would decide about are denied.
 */
export function grpcAuthorization(
  { authorization }: Pick<TrafficPolicies, "authorization">,
  { trustDomain, trustDomainAliases }: MeshSettings,
  writer: ProtoWriter,
): readonly FilterMessage[] {
  const trustDomains = [trustDomain, ...trustDomainAliases];
  const reader = { carries: "http", trustDomains, hostsByRegex: false, templatesByRegex: true } as const;
  const enforced = ofTrial(withoutReplaced(authorization), false);
  return filters.flatMap(([actions, name]) => {
    const own = enforced.filter((policy) => actions.includes(policy.action));
    const rules = rbacOf(own, reader, ruleName, writer);
    return rules === undefined ? [] : [{ ...rbacFilter("http", { rules }, writer), name }];
  });
}
