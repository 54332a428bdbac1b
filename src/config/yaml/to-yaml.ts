import { stringify } from "yaml";

/** Writes a value as YAML: every part in full, without aliases and without folded lines. */
export function toYaml(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd();
}
