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
  /** Which proxy it is known from. */
  readonly nodeId: string;
}

/** The facts of a WorkloadGroup that decide who may join it. */
export interface WorkloadGroupFacts {
  /** Empty when anybody of the namespace may join. */
  readonly serviceAccount: string;
  /** Its members are well only when they say so. */
  readonly probed: boolean;
}

/**
 * Where registered workloads are kept as WorkloadEntries, on the one road that all configuration takes. In a process
 * that reads files it is a source in memory; where there is an API server, it is the server.
 */
export interface WorkloadStore {
  group(namespace: string, name: string): WorkloadGroupFacts | undefined;
  /** Creates or replaces an entry; throws when group and workload together make no valid one. */
  put(workload: RegisteredWorkload): void;
  remove(namespace: string, name: string): void;
}
