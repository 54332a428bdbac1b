import { isMapping } from "../../lib/is-mapping.ts";
import { fieldPath } from "../field-path.ts";
import { error, type Finding } from "../finding.ts";

/**
 * Written but empty lists and mappings. A message cannot distinguish them from missing ones. If a missing list means
 * "all", the author of an empty one may have meant "none".
 */
export function emptyLists(raw: unknown, path: string, fields: readonly string[]): readonly Finding[] {
  if (!isMapping(raw)) return [];
  return fields
    .filter((field) => isEmpty(raw[field]))
    .map((field) =>
      error(fieldPath(path, field), {
        code: "empty-list",
        message: `${field} is empty`,
        hint: "remove it, or add an entry",
      }),
    );
}

function isEmpty(raw: unknown): boolean {
  return Array.isArray(raw) ? raw.length === 0 : isMapping(raw) && Object.keys(raw).length === 0;
}
