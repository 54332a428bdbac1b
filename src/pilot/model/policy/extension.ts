import type { WorkloadPolicy } from "./workload-policy.ts";

/** A WasmPlugin or TrafficExtension: a filter from outside that proxies load. */
export interface Extension extends WorkloadPolicy {}
