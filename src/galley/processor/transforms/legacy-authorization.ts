import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { ServiceRoleBinding } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { outputOf } from "../../../config/kind.ts";
import { authorizationPolicy } from "../../../config/kinds/authorization-policy.ts";
import { clusterRbacConfig, rbacConfig, serviceRole, serviceRoleBinding } from "../../../config/kinds/legacy/rbac.ts";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { inputCollection, type Transformer } from "../transformer.ts";
import { bindingPolicies } from "./legacy/binding-policies.ts";
import { currentEnforcement, type Enforcement, enforcements } from "./legacy/enforcement.ts";
import { byHostname, byNamespace, knownServices, serviceInputs } from "./legacy/known-services.ts";
import { switchPolicies } from "./legacy/switch-policies.ts";
import { currentFact, meshFact } from "./mesh-fact.ts";

const kinds = [serviceRole, serviceRoleBinding, rbacConfig, clusterRbacConfig, meshConfig];
const output = { collection: outputOf(authorizationPolicy) ?? "", group: "default" } as const;

/**
 * Converts the role-based access control of Istio before 1.6. ClusterRbacConfig and RbacConfig become policies that deny
 * by default. Each ServiceRoleBinding becomes ALLOW policies, where access control is on.
 */
export function legacyAuthorizationTransformer(domain: string): Transformer {
  return {
    name: "legacy authorization",
    inputs: [...kinds.map(({ collection }) => collection), ...serviceInputs],
    outputs: [output],
    install: (graph, input) => {
      const root = meshFact(graph, {
        name: "legacy/rbac root",
        mesh: inputCollection(meshConfig, input),
        pick: rootOf,
      });
      const services = knownServices(graph, input, domain);
      const inNamespace = byNamespace(graph, services);
      const enforcement = enforcements(graph, input);
      const switches = graph.derive({
        name: "legacy/switch policies",
        from: enforcement,
        reads: { root, inNamespace, atHostname: byHostname(graph, services) },
        key: (config: Config) => configKey(config),
        to: (current: Enforcement, reads) =>
          switchPolicies(current, { ...reads, root: currentFact(reads.root, rootOf) }),
        equals: isSameConfig,
      });
      const grants = graph.derive({
        name: "legacy/binding policies",
        from: inputCollection(serviceRoleBinding, input),
        reads: { root, enforcement, inNamespace, roles: inputCollection(serviceRole, input) },
        key: (config: Config) => configKey(config),
        to: (binding: Config<ServiceRoleBinding>, reads) => {
          const current = currentEnforcement(reads.enforcement);
          if (current === undefined) return [];
          return bindingPolicies(binding, current, { ...reads, root: currentFact(reads.root, rootOf) });
        },
        equals: isSameConfig,
      });
      const parts = [switches, grants];
      return new Map([
        [output.collection, graph.union<Config>({ name: "legacy/access", parts, equals: isSameConfig })],
      ]);
    },
  };
}

function rootOf({ rootNamespace }: MeshConfig): string {
  return rootNamespace;
}
