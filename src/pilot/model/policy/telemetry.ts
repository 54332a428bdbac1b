import type { WorkloadPolicy } from "./workload-policy.ts";

/** Decides which access logs, traces and metrics the proxies write. */
export interface Telemetry extends WorkloadPolicy {}
