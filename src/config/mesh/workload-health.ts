/**
 * On a WorkloadEntry: what the agent beside the workload says of it. An annotation and not a status: a workload that is
 * ill is not called, so it changes what proxies get.
 */
export const workloadHealthAnnotation = "binnacle.io/workload-health";

export type WorkloadHealth = "healthy" | "unhealthy";
