/** Values by name, of workloads, endpoints and selectors. */
export type Labels = Readonly<Record<string, string>>;

/** One text per set of labels, whatever their order. */
export function labelsId(labels: Labels): string {
  return Object.keys(labels)
    .toSorted()
    .map((name) => `${name}=${labels[name]}`)
    .join(",");
}
