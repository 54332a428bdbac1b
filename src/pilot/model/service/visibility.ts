/** Something with an `exportTo`: names of namespaces, `.` for its own, `*` for all, `~` for nobody. */
export interface Exported {
  readonly namespace: string;
  readonly exportTo: readonly string[];
}

/** How `exported` is seen from a namespace, the closest relation first. `hidden` is not seen at all. */
export type Visibility = "private" | "named" | "public" | "hidden";

export function visibilityFrom(namespace: string, exported: Exported): Visibility {
  const { exportTo } = exported;
  if (exportTo.includes("*")) return "public";
  if (exportTo.includes("~")) return "hidden";
  const own = exported.namespace === namespace;
  if (own && (exportTo.includes(".") || exportTo.includes(namespace))) return "private";
  return exportTo.includes(namespace) ? "named" : "hidden";
}

export function isVisibleFrom(namespace: string, exported: Exported): boolean {
  return visibilityFrom(namespace, exported) !== "hidden";
}
