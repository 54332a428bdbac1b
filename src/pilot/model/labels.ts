/** Values by name, of workloads, endpoints and selectors. */
export type Labels = Readonly<Record<string, string>>;
