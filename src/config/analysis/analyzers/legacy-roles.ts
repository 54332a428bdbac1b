import { RbacConfig_Mode as Mode } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import { AuthorizationPolicy_Action as Action } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { configKey } from "../../config.ts";
import { authorizationPolicy } from "../../kinds/authorization-policy.ts";
import { clusterRbacConfig, rbacConfig, serviceRole, serviceRoleBinding } from "../../kinds/legacy/rbac.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { isTrial } from "../../rules/forbidden-annotations.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { currentMeshConfig } from "../facts/current-mesh-config.ts";
import { messages } from "../messages.ts";

/** Legacy roles and bindings that grant nothing because of other objects. */
export const legacyRoleAnalyzer: Analyzer = {
  name: "auth.ServiceRoleEffectAnalyzer",
  description: "Roles and bindings of Istio before 1.6 that grant nothing",
  inputs: [serviceRole, serviceRoleBinding, rbacConfig, clusterRbacConfig, authorizationPolicy, meshConfig],
  analyze(context) {
    const bound = new Set(
      context.all(serviceRoleBinding).map(({ namespace, spec }) => `${namespace}/${spec.roleRef?.name || spec.role}`),
    );
    for (const config of context.all(serviceRole)) {
      if (bound.has(configKey(config))) continue;
      const detail = "the role grants nothing, because no ServiceRoleBinding of its namespace names it";
      context.report(messages.noEffect, { config, path: "metadata.name" }, { detail });
    }
    const reasonIn = bindingLimits(context);
    for (const config of context.all(serviceRoleBinding)) {
      const reason = reasonIn(config.namespace);
      if (reason === undefined) continue;
      const detail = `the binding grants nothing, because ${reason}`;
      context.report(messages.noEffect, { config, path: "metadata.name" }, { detail });
    }
  },
};

/** Why bindings of a namespace grant nothing; undefined if they may. */
function bindingLimits(context: AnalysisContext): (namespace: string) => string | undefined {
  const switches = [...context.all(rbacConfig), ...context.all(clusterRbacConfig)];
  const isOn = switches.some(({ spec }) => spec.mode !== Mode.OFF);
  const { rootNamespace } = currentMeshConfig(context);
  const wide = new Map(
    context.all(authorizationPolicy).flatMap(({ namespace, name, spec, annotations }) => {
      const { selector, targetRef, targetRefs, action } = spec;
      const isWide = selector === undefined && targetRef === undefined && targetRefs.length === 0;
      const isEnforced = !isTrial(annotations);
      return isWide && isEnforced && action === Action.ALLOW ? [[namespace, name] as const] : [];
    }),
  );
  return (namespace) => {
    if (!isOn) return "no ClusterRbacConfig or RbacConfig switches access control on, so everything is allowed";
    const place = [namespace, rootNamespace].find((each) => wide.has(each));
    if (place === undefined) return undefined;
    return `the AuthorizationPolicy ${place}/${wide.get(place)} alone decides what is allowed`;
  };
}
