import type { ConfigId, Labels } from "../../../config/config.ts";

/** An object that applies to workloads: to all of its namespace, to those with some labels, or to its targets. */
export interface WorkloadPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: number;
  readonly owner: ConfigId;
  /** Undefined for all workloads of the namespace; in the root namespace, of the mesh. */
  readonly selector: Labels | undefined;
  /** `targetRefs`. A policy with targets applies to nothing else. */
  readonly targets: readonly PolicyTarget[];
}

/** An object that a policy is attached to, such as a Gateway or a Service. */
export interface PolicyTarget {
  /** The API group; "" for Kubernetes' core group. */
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}
