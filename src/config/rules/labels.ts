import { fieldPath } from "../field-path.ts";
import { error, type Finding, warning } from "../finding.ts";
import { labelFindings } from "../parse/metadata.ts";

/** Labels of an endpoint, a subset or a match. */
export function labelMap(labels: Readonly<Record<string, string>>, path: string): readonly Finding[] {
  return Object.entries(labels).flatMap(([key, value]) => labelFindings(key, value, fieldPath(path, key)));
}

/** Labels that select workloads. Wildcards would match nothing here, but people try them. */
export function selectorLabels(labels: Readonly<Record<string, string>>, path: string): readonly Finding[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const at = fieldPath(path, key);
    if (!`${key}${value}`.includes("*")) return labelFindings(key, value, at);
    return error(at, { code: "bad-label", message: "a selector cannot contain wildcards" });
  });
}

/** A selector without labels: it selects every workload of its namespace. */
export function emptySelector(labels: Readonly<Record<string, string>> | undefined, path: string): readonly Finding[] {
  if (labels === undefined || Object.keys(labels).length > 0) return [];
  const message = "a selector without labels selects every workload of the namespace";
  return [warning(path, { code: "empty-selector", message, hint: "remove it if this is intended" })];
}
