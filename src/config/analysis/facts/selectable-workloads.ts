import type { Labels } from "../../config.ts";
import { deployment, pod } from "../../kinds/kubernetes.ts";
import { workloadEntry } from "../../kinds/workload-entry.ts";
import type { AnalysisInput } from "../analyzer.ts";
import { LabelIndex } from "./label-index.ts";

/** A present or future workload that selectors can select. */
export interface SelectableWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

/** The kinds that {@link workloads} reads. */
export const workloadKinds = [pod, deployment, workloadEntry];

/**
 * Pods, future pods of Deployments, and workloads outside a cluster. Files contain Deployments far more often than
 * Pods, so a selector may match either.
 */
export function workloads(input: AnalysisInput): LabelIndex<SelectableWorkload> {
  return new LabelIndex<SelectableWorkload>([
    ...input.all(pod),
    ...input.all(deployment).map(({ namespace, name, spec }) => ({
      namespace,
      name,
      labels: spec.spec?.template?.metadata?.labels ?? {},
    })),
    ...input.all(workloadEntry).map(({ namespace, name, labels, spec }) => ({
      namespace,
      name,
      labels: { ...labels, ...spec.labels },
    })),
  ]);
}
