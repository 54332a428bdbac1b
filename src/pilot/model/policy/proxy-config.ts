import type { WorkloadPolicy } from "./workload-policy.ts";

/** Settings of the proxies beside the workloads. */
export interface ProxyConfig extends WorkloadPolicy {}
