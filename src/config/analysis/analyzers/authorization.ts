import type { AuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Config } from "../../config.ts";
import { fullHostname } from "../../grammar/hostname.ts";
import { authorizationPolicy } from "../../kinds/authorization-policy.ts";
import { deployment, namespace, pod, service } from "../../kinds/kubernetes.ts";
import { serviceRole, serviceRoleBinding } from "../../kinds/legacy/rbac.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { workloadEntry } from "../../kinds/workload-entry.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { currentMeshConfig } from "../facts/current-mesh-config.ts";
import { LabelIndex } from "../facts/label-index.ts";
import { selectorText } from "../facts/label-selectors.ts";
import { NamePatterns } from "../facts/name-patterns.ts";
import { hasSidecar, isAmbientPod, type PodLike } from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";

export const authorizationPolicyAnalyzer: Analyzer = {
  name: "authz.AuthorizationPoliciesAnalyzer",
  description: "Policies that apply to no workload, or name missing namespaces",
  inputs: [authorizationPolicy, meshConfig, namespace, pod, deployment, workloadEntry],
  needs: [namespace, pod, deployment],
  analyze(context) {
    const members = membersOfMesh(context);
    const { rootNamespace } = currentMeshConfig(context);
    const namespaces = new NamePatterns(context.all(namespace).map(({ name }) => name));
    for (const config of context.all(authorizationPolicy)) {
      checkReach(config, { members, isMeshWide: config.namespace === rootNamespace, context });
      // Without any Namespace, the files leave namespaces out, so this check would only guess.
      if (namespaces.someBegins("")) checkNamespaces(config, namespaces, context);
    }
  },
};

type Member = Pick<PodLike, "namespace" | "labels">;

/** Workloads that enforce policies. Workloads outside the cluster are listed because they belong to the mesh. */
function membersOfMesh(context: AnalysisContext): LabelIndex<Member> {
  const pods: readonly PodLike[] = [
    ...context.all(pod).map((config) => ({ ...config, spec: config.spec.spec })),
    ...context.all(deployment).map((config) => {
      const template = config.spec.spec?.template;
      const { labels = {}, annotations = {} } = template?.metadata ?? {};
      return { namespace: config.namespace, labels, annotations, spec: template?.spec };
    }),
  ];
  const outside = context.all(workloadEntry).map((config) => {
    return { namespace: config.namespace, labels: { ...config.labels, ...config.spec.labels } };
  });
  return new LabelIndex<Member>([
    ...pods.filter((each) => hasSidecar(each, context) || isAmbientPod(each)),
    ...outside,
  ]);
}

interface Reach {
  readonly members: LabelIndex<Member>;
  readonly isMeshWide: boolean;
  readonly context: AnalysisContext;
}

function checkReach(config: Config<AuthorizationPolicy>, { members, isMeshWide, context }: Reach): void {
  const { selector, targetRef, targetRefs } = config.spec;
  if (targetRef !== undefined || targetRefs.length > 0 || (isMeshWide && selector === undefined)) return;
  const labels = selector?.matchLabels ?? {};
  if (members.select(labels, isMeshWide ? undefined : config.namespace).length > 0) return;
  const about = { config, path: selector === undefined ? "metadata.namespace" : "spec.selector" };
  context.report(messages.noMatchingWorkloads, about, { selector: selectorText(labels) || "the whole namespace" });
}

function checkNamespaces(
  config: Config<AuthorizationPolicy>,
  namespaces: NamePatterns,
  context: AnalysisContext,
): void {
  for (const { pattern, path } of namespacePatterns(config.spec)) {
    if (fitsNamespace(pattern, namespaces)) continue;
    context.report(messages.referencedResourceNotFound, { config, path }, { what: "namespace", reference: pattern });
  }
}

function namespacePatterns({ rules }: AuthorizationPolicy) {
  return rules.flatMap(({ from }, index) =>
    from.flatMap(({ source }, at) => {
      const path = `spec.rules[${index}].from[${at}].source`;
      return [
        ...(source?.namespaces ?? []).map((pattern, i) => ({ pattern, path: `${path}.namespaces[${i}]` })),
        ...(source?.notNamespaces ?? []).map((pattern, i) => ({ pattern, path: `${path}.notNamespaces[${i}]` })),
      ];
    }),
  );
}

/** `prod-*`, `*-test`, `*` or a name. */
function fitsNamespace(pattern: string, names: NamePatterns): boolean {
  if (pattern.startsWith("*")) return names.someEnds(pattern.slice(1));
  return pattern.endsWith("*") ? names.someBegins(pattern.slice(0, -1)) : names.has(pattern);
}

export const serviceRoleServicesAnalyzer: Analyzer = {
  name: "auth.ServiceRoleServicesAnalyzer",
  description: "Roles for missing services",
  inputs: [serviceRole, service],
  needs: [service],
  analyze(context) {
    const services = Map.groupBy(context.all(service), ({ namespace }) => namespace);
    const byNamespace = new Map(
      Array.from(services, ([namespace, here]) => {
        return [namespace, new NamePatterns(here.map(({ name }) => fullHostname(name, namespace, context.domain)))];
      }),
    );
    for (const config of context.all(serviceRole)) {
      const hostnames = byNamespace.get(config.namespace) ?? new NamePatterns([]);
      for (const [index, { services }] of config.spec.rules.entries()) {
        for (const [at, pattern] of services.entries()) {
          if (fitsHostname(pattern, hostnames)) continue;
          const about = { config, path: `spec.rules[${index}].services[${at}]` };
          if (pattern === "*") continue;
          context.report(messages.referencedResourceNotFound, about, { what: "service", reference: pattern });
        }
      }
    }
  },
};

/** `*` is at the beginning or the end. */
function fitsHostname(pattern: string, hostnames: NamePatterns): boolean {
  if (pattern.endsWith("*")) return hostnames.someBegins(pattern.slice(0, -1));
  return pattern.startsWith("*") ? hostnames.someEnds(pattern.slice(1)) : hostnames.has(pattern);
}

export const serviceRoleBindingAnalyzer: Analyzer = {
  name: "auth.ServiceRoleBindingAnalyzer",
  description: "Bindings of missing roles",
  inputs: [serviceRole, serviceRoleBinding],
  analyze(context) {
    for (const config of context.all(serviceRoleBinding)) {
      const { roleRef, role } = config.spec;
      const name = roleRef?.name || role;
      if (name === "" || context.find(serviceRole, `${config.namespace}/${name}`) !== undefined) continue;
      const about = { config, path: roleRef === undefined ? "spec.role" : "spec.roleRef.name" };
      context.report(messages.referencedResourceNotFound, about, { what: "service role", reference: name });
    }
  },
};
