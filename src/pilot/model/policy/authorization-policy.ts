import type { WorkloadPolicy } from "./workload-policy.ts";

/** Decides which requests and connections the workloads accept. */
export interface AuthorizationPolicy extends WorkloadPolicy {}
