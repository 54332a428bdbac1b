import { isMapping } from "../../lib/is-mapping.ts";
import { fieldPath } from "../field-path.ts";
import { error, type Finding } from "../finding.ts";

/**
 * Lists and mappings that are written and hold nothing, which no message can tell from one that is not written.
 * Where that would mean "all", somebody who wrote it may have meant "none".
 */
export function emptyLists(raw: unknown, path: string, fields: readonly string[]): readonly Finding[] {
  if (!isMapping(raw)) return [];
  return fields
    .filter((field) => isEmpty(raw[field]))
    .map((field) =>
      error(fieldPath(path, field), {
        code: "empty-list",
        message: `${field} is there, but holds nothing`,
        hint: "leave it out if it shall not matter",
      }),
    );
}

function isEmpty(raw: unknown): boolean {
  return Array.isArray(raw) ? raw.length === 0 : isMapping(raw) && Object.keys(raw).length === 0;
}
