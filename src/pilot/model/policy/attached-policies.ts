import type { Labels } from "../../../config/config.ts";
import { selects } from "../../../config/selector.ts";
import { compareAge } from "../compare-age.ts";
import type { PolicyTarget, WorkloadPolicy } from "./workload-policy.ts";

/** The facts of a workload that decide which policies apply to it. */
export interface PolicyWorkload {
  readonly namespace: string;
  readonly labels: Labels;
  readonly router: boolean;
  /** The services that it serves, as targets that policies may name. */
  readonly services: readonly PolicyTarget[];
}

/** The label of routers that were created for a Gateway of the Gateway API. */
export const gatewayNameLabel = "gateway.networking.k8s.io/gateway-name";

/** The policies of a workload, from lists of one namespace each; the oldest first in each. */
export function attachedPolicies<P extends WorkloadPolicy>(
  lists: readonly (readonly P[] | undefined)[],
  workload: PolicyWorkload,
): readonly P[] {
  return lists.flatMap((list = []) => list.filter((policy) => appliesTo(policy, workload)).toSorted(compareAge));
}

/** Whether the policy selects the workload, within the namespace that it applies to. */
export function appliesTo({ selector, targets }: WorkloadPolicy, workload: PolicyWorkload): boolean {
  if (targets.length > 0) return targets.some((target) => isTarget(target, workload));
  return selector === undefined || selects(selector, workload.labels);
}

function isTarget(target: PolicyTarget, { namespace, labels, router, services }: PolicyWorkload): boolean {
  if (target.kind !== "Gateway") return services.some((service) => isSameTarget(service, target));
  return router && target.namespace === namespace && labels[gatewayNameLabel] === target.name;
}

/** Compares two targets by their group, kind, namespace and name. */
export function isSameTarget(a: PolicyTarget, b: PolicyTarget): boolean {
  return a.group === b.group && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}
