export const rootNamespace = "istio-system";

/** The workloads of a small mesh. */
export const workloads = ["one", "two"].flatMap((namespace) => ["x", "y"].map((app) => ({ namespace, app })));
