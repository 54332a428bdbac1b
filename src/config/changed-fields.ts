import { deepEqual } from "../lib/equal.ts";
import { isMapping } from "../lib/is-mapping.ts";
import type { Config } from "./config.ts";

/** Largest number of fields named per object. */
const maxNamed = 10;

/**
 * The fields by which two versions of an object differ, as in `spec.http[0].route[1].weight`. Each is the deepest field
 * that both have, or else the nearest that one has. The list is bounded and ends with the number of the others.
 */
export function changedFields(before: Config, after: Config): readonly string[] {
  const paths = [
    ...differences("metadata.labels", before.labels, after.labels),
    ...differences("metadata.annotations", before.annotations, after.annotations),
    ...differences("spec", before.spec, after.spec),
  ];
  const left = paths.length - maxNamed;
  return left > 0 ? [...paths.slice(0, maxNamed), `and ${left} more`] : paths;
}

function* differences(path: string, before: unknown, after: unknown): Iterable<string> {
  if (deepEqual(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    // If two lists differ in length, their items cannot be paired.
    if (before.length !== after.length) yield path;
    else for (const [index, item] of before.entries()) yield* differences(`${path}[${index}]`, item, after[index]);
    return;
  }
  if (!isMapping(before) || !isMapping(after)) {
    yield path;
    return;
  }
  if (isOneof(before) && isOneof(after)) {
    // Of a oneof, users write only the name of the set field, never `case` and `value`.
    if (before["case"] === after["case"]) yield* differences(path, before["value"], after["value"]);
    else yield path;
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!key.startsWith("$")) yield* differences(`${path}.${key}`, before[key], after[key]);
  }
}

/** A oneof, as generated messages represent it. */
function isOneof(value: Readonly<Record<string, unknown>>): boolean {
  return "case" in value && Object.keys(value).every((key) => key === "case" || key === "value");
}
