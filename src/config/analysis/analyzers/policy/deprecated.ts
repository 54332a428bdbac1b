import { customResourceDefinition } from "../../../kinds/kubernetes.ts";
import { meshPolicy, policy } from "../../../kinds/legacy/authentication-policy.ts";
import type { Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

export const deprecated: Analyzer = {
  name: "policy.DeprecatedAnalyzer",
  description: "Authentication policies of old, where the cluster has what replaced them",
  inputs: [customResourceDefinition, policy, meshPolicy],
  analyze(context) {
    const definitions = context.all(customResourceDefinition);
    const isReplaced = definitions.some(
      ({ spec }) => spec.group === "security.istio.io" && spec.names?.kind === "PeerAuthentication",
    );
    const policies = context.all(policy);
    const meshPolicies = context.all(meshPolicy);
    if (!isReplaced) return;
    for (const config of policies) context.report(messages.policyDeprecated, { config, path: "metadata.name" });
    for (const config of meshPolicies) context.report(messages.meshPolicyDeprecated, { config, path: "metadata.name" });
  },
};
