import type { PolicyTargetReference, WorkloadSelector } from "#gen/istio/type/v1beta1/selector_pb.js";
import type { Config, Labels } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import type { PolicyTarget, WorkloadPolicy } from "../../model/policy/workload-policy.ts";

/** The fields of an object that attach it to workloads. */
interface Attachment {
  readonly selector?: WorkloadSelector | undefined;
  readonly targetRef?: PolicyTargetReference | undefined;
  readonly targetRefs?: readonly PolicyTargetReference[];
}

/** The fields that all policies of workloads have. */
export function workloadPolicyOf({ kind, name, namespace, createdAt, spec }: Config<Attachment>): WorkloadPolicy {
  const targets = spec.targetRef === undefined ? (spec.targetRefs ?? []) : [spec.targetRef];
  return {
    name,
    namespace,
    createdAt,
    owner: configId(kind, namespace, name),
    selector: selectorOf(spec.selector?.matchLabels ?? {}),
    targets: targets.map((target) => targetOf(target, namespace)),
  };
}

/** An empty selector applies to all workloads, like a missing one. */
export function selectorOf(labels: Labels): Labels | undefined {
  return Object.keys(labels).length === 0 ? undefined : labels;
}

/** A target without a namespace is in the policy's own. */
function targetOf({ group, kind, name, namespace: asked }: PolicyTargetReference, namespace: string): PolicyTarget {
  return { group: group === "core" ? "" : group, kind, name, namespace: asked === "" ? namespace : asked };
}
