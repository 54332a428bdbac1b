/**
 * Annotation of a WorkloadEntry with the health from the agent beside the workload. It is not a status, because it
 * changes the configuration of proxies: an unhealthy workload gets no traffic.
 */
export const workloadHealthAnnotation = "binnacle.io/workload-health";

export type WorkloadHealth = "healthy" | "unhealthy";

/**
 * Annotation of a WorkloadEntry whose machine reports health. Istio's name. With the value `true`, the entry gets traffic
 * only after a report that it is healthy.
 */
export const healthChecksAnnotation = "proxy.istio.io/health-checks-enabled";
