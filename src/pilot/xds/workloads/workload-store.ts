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

/** The facts of a WorkloadEntry that a person wrote, of which a machine may report health. */
export interface WrittenEntryFacts {
  /** Empty when every workload of the namespace may be its machine. */
  readonly serviceAccount: string;
  /** Whether the entry asks for health checks. */
  readonly checked: boolean;
}

/** The reason of a write: a new stream of the machine, or a report on its stream. */
export type EntryChange = "connected" | "reported";

/**
 * Stores registered workloads as WorkloadEntries, which enter the pipeline like all configuration. The app decides
 * where.
 */
export interface WorkloadStore {
  group(namespace: string, name: string): WorkloadGroupFacts | undefined;
  /** Creates or replaces an entry; throws when group and workload together make no valid one. */
  put(workload: RegisteredWorkload, change: EntryChange): void;
  /** A WorkloadEntry of the mesh. */
  entry(namespace: string, name: string): WrittenEntryFacts | undefined;
  /** Keeps the health of the machine of an entry that a person wrote. */
  report(namespace: string, name: string, health: WorkloadHealth, change: EntryChange): void;
  /** Deletes the entry of a registered workload, or forgets the health of another. */
  remove(namespace: string, name: string): void;
}
