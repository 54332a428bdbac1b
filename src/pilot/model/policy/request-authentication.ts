import type { WorkloadPolicy } from "./workload-policy.ts";

/** Decides which tokens the workloads accept. */
export interface RequestAuthentication extends WorkloadPolicy {}
