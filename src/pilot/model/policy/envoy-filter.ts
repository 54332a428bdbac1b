import type { EnvoyPatch } from "./envoy-patch.ts";
import type { WorkloadPolicy } from "./workload-policy.ts";

/** Patches for the generated configuration of proxies. */
export interface EnvoyFilter extends WorkloadPolicy {
  /** Filters with smaller numbers come first. */
  readonly priority: number;
  readonly patches: readonly EnvoyPatch[];
}
