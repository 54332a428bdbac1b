import {
  type AccessRule,
  EnforcementMode,
  type ServiceRole,
  type ServiceRoleBinding,
} from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import type { AuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Tracked } from "../../../../collection/collection.ts";
import { type Config, configKey } from "../../../../config/config.ts";
import { authorizationPolicy } from "../../../../config/kinds/authorization-policy.ts";
import type { ConditionInit } from "../../../../config/kinds/legacy/rbac/grant.ts";
import { type Permission, permissionOf } from "../../../../config/kinds/legacy/rbac/permission.ts";
import { subjectConditions } from "../../../../config/kinds/legacy/rbac/subject-conditions.ts";
import { dryRun } from "../../../../config/rules/forbidden-annotations.ts";
import { convertedConfig } from "./converted-config.ts";
import { type Enforcement, extentIn } from "./enforcement.ts";
import type { KnownService } from "./known-services.ts";
import { type Reach, type RoleNamespace, reachOf } from "./reach.ts";

/** The objects that the conversion of a binding reads. */
export interface BindingReads {
  readonly root: string;
  readonly roles: Tracked<Config<ServiceRole>>;
  readonly inNamespace: Tracked<readonly KnownService[]>;
}

/**
 * The ALLOW policies of a binding: one per rule of its role, with one rule per subject. A rule or a subject that cannot
 * be expressed is left out, so it grants nothing.
 */
export function bindingPolicies(
  config: Config<ServiceRoleBinding>,
  enforcement: Enforcement,
  reads: BindingReads,
): readonly Config<AuthorizationPolicy>[] {
  const { namespace, spec } = config;
  const extent = extentIn(namespace, enforcement);
  if (extent === "none") return [];
  const holders = spec.subjects.map((subject) => subjectConditions(subject, "")).filter(isUsable);
  if (holders.length === 0) return [];
  const services = reads.inNamespace.get(namespace) ?? [];
  const where: RoleNamespace = { name: namespace, isRoot: namespace === reads.root, extent, services };
  const isTrial = enforcement.isTrial || spec.mode === EnforcementMode.PERMISSIVE;
  return rulesOf(config, reads).flatMap((rule, index) => {
    const permission = permissionOf(rule, "");
    if (!isUsable(permission)) return [];
    return reachOf(permission, where).map((reach) =>
      convertedConfig(
        authorizationPolicy,
        { config, namespace },
        { ...attachmentOf(reach), rules: holders.map(({ when }) => ruleOf(permission, reach, when)) },
        { suffix: `${index}${reach.suffix}`, ...(isTrial && { annotations: { [dryRun]: "true" } }) },
      ),
    );
  });
}

function isUsable({ problems }: { readonly problems: readonly unknown[] }): boolean {
  return problems.length === 0;
}

/** The rules of the role, or of the binding itself. A role that begins with a slash is in the root namespace. */
function rulesOf(
  { namespace, spec: { roleRef, role, actions } }: Config<ServiceRoleBinding>,
  { root, roles }: BindingReads,
): readonly AccessRule[] {
  if (actions.length > 0) return actions;
  const name = roleRef?.name ?? role;
  const key = name.startsWith("/") ? { namespace: root, name: name.slice(1) } : { namespace, name };
  return roles.get(configKey(key))?.spec.rules ?? [];
}

function attachmentOf({ attachment }: Reach) {
  if ("targetRefs" in attachment) return { targetRefs: attachment.targetRefs.map((each) => ({ ...each })) };
  const labels = "selector" in attachment ? attachment.selector?.matchLabels : undefined;
  return labels === undefined ? {} : { selector: { matchLabels: { ...labels } } };
}

/** The ports of the reach are a condition of their own, because the operation may have others. */
function ruleOf({ operation, when }: Permission, { ports }: Reach, who: readonly ConditionInit[]) {
  const atPorts = ports.length === 0 ? [] : [{ key: "destination.port", values: [...ports] }];
  return {
    ...(operation !== undefined && { to: [{ operation }] }),
    when: [...who, ...when, ...atPorts],
  };
}
