/** Stands for all namespaces. */
export const everywhere = "*";

/** The namespaces that an `exportTo` list names: {@link everywhere}, or one by one. An empty list is everywhere. */
export function exportScopes(exportTo: readonly string[], namespace: string): readonly string[] {
  if (exportTo.length === 0 || exportTo.includes(everywhere)) return [everywhere];
  return [...new Set(exportTo.map((scope) => (scope === "." ? namespace : scope)))];
}
