import type { JsonValue } from "@bufbuild/protobuf";
import { fieldPath, type PathStep, pathSteps } from "../config/field-path.ts";
import { isMapping } from "../lib/is-mapping.ts";

/**
 * A step to a field of a resource. Items with a name are found by it: other objects may add an item before it, and the
 * index would then belong to another item.
 */
type FieldStep = PathStep | { readonly itemNamed: string };

/** A field of a resource, found again in other versions of the resource. */
export type LocatedField = readonly FieldStep[];

/** Finds the field. Names of fields may be in either spelling. Undefined if the resource has no such field. */
export function locateField(resource: JsonValue, path: string): LocatedField | undefined {
  const located: FieldStep[] = [];
  let value: unknown = resource;
  for (const step of pathSteps(path)) {
    const found: FieldStep | undefined = Array.isArray(value) ? itemStep(value, step) : keyOf(value, step);
    if (found === undefined) return undefined;
    located.push(found);
    value = valueAfter(value, found);
  }
  return value === undefined ? undefined : located;
}

/** The value of the field in this version of the resource; undefined if it is not there. */
export function valueOf(resource: JsonValue | undefined, field: LocatedField): JsonValue | undefined {
  let value: unknown = resource;
  for (const step of field) value = valueAfter(value, step);
  return value as JsonValue | undefined;
}

/** The paths of all values in a resource that are no mapping and no list. */
export function* leafPaths(value: JsonValue, path = ""): Iterable<string> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leafPaths(item, fieldPath(path, index));
  } else if (isMapping(value)) {
    for (const [key, field] of Object.entries(value)) {
      if (key !== "@type") yield* leafPaths(field, fieldPath(path, key));
    }
  } else yield path;
}

function itemStep(items: readonly unknown[], step: PathStep): FieldStep | undefined {
  if (typeof step === "string") return items.some((item) => nameOf(item) === step) ? { itemNamed: step } : undefined;
  const name = nameOf(items[step]);
  if (name === undefined) return step < items.length ? step : undefined;
  return items.filter((item) => nameOf(item) === name).length === 1 ? { itemNamed: name } : step;
}

function nameOf(item: unknown): string | undefined {
  const name = isMapping(item) ? item["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Resources are written with the names of the proto; people may write those of JSON. */
function keyOf(value: unknown, step: PathStep): string | undefined {
  if (!isMapping(value)) return undefined;
  const written = String(step);
  const snakeCase = written.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  return [written, snakeCase].find((key) => Object.hasOwn(value, key));
}

function valueAfter(value: unknown, step: FieldStep): unknown {
  if (typeof step === "object") {
    return Array.isArray(value) ? value.find((item) => nameOf(item) === step.itemNamed) : undefined;
  }
  if (Array.isArray(value)) return typeof step === "number" ? value[step] : undefined;
  return isMapping(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined;
}
