/** Whether a parsed value is a YAML mapping or JSON object. */
export function isMapping(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}
