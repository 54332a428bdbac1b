export type Labels = Readonly<Record<string, string>>;

/** True when every pair of `selector` stands in `labels`. The empty selector selects everything. */
export function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** One text per set of labels, whatever their order. */
export function labelsId(labels: Labels): string {
  return Object.keys(labels)
    .toSorted()
    .map((name) => `${name}=${labels[name]}`)
    .join(",");
}
