import type { WorkloadHealth } from "../../../config/mesh/workload-health.ts";

/** Facts that a joining machine reports. Its group has the rest. */
export interface RegisteredWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly group: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly network: string;
  readonly locality: string;
  readonly health: WorkloadHealth;
  /** The proxy that reports it. */
  readonly nodeId: string;
}

/** The facts of a WorkloadGroup that decide who may join it. */
export interface WorkloadGroupFacts {
  /** Empty when every workload of the namespace may join. */
  readonly serviceAccount: string;
  /** Its members are unhealthy until they report health. */
  readonly probed: boolean;
}

/**
 * Stores registered workloads as WorkloadEntries, which enter the pipeline like all configuration. The app decides
 * where.
 */
export interface WorkloadStore {
  group(namespace: string, name: string): WorkloadGroupFacts | undefined;
  /** Creates or replaces an entry; throws when group and workload together make no valid one. */
  put(workload: RegisteredWorkload): void;
  remove(namespace: string, name: string): void;
}
