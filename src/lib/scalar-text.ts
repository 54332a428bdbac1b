/**
 * The text of a scalar from outside; empty for everything else. `String` calls the `toString` of a mapping, and a sender
 * may have written a field of that name.
 */
export function scalarText(raw: unknown): string {
  return typeof raw === "string" || typeof raw === "number" || typeof raw === "boolean" ? String(raw) : "";
}
