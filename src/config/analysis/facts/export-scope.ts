/** The scope of all namespaces. */
export const everywhere = "*";

/** The namespaces of an `exportTo` list: {@link everywhere}, or single namespaces. An empty list is everywhere. */
export function exportScopes(exportTo: readonly string[], namespace: string): readonly string[] {
  if (exportTo.length === 0 || exportTo.includes(everywhere)) return [everywhere];
  return [...new Set(exportTo.map((scope) => (scope === "." ? namespace : scope)))];
}
