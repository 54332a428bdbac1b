/** Whether a value that was parsed is what YAML and JSON call a mapping, or an object. */
export function isMapping(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}
