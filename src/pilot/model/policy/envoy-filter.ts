import type { WorkloadPolicy } from "./workload-policy.ts";

/** Patches for the generated configuration of proxies. */
export interface EnvoyFilter extends WorkloadPolicy {}
