import type { JsonValue } from "@bufbuild/protobuf";
import type { Config, SourceLocation } from "../config/config.ts";
import { fieldPath, pathOf } from "../config/field-path.ts";
import { otherValues } from "../config/written/other-values.ts";
import type { Leaf, WrittenObject } from "../config/written/written-object.ts";
import { deepEqual } from "../lib/equal.ts";
import { isMapping } from "../lib/is-mapping.ts";

/** The values in one line of a file. */
export interface WrittenLine {
  readonly object: WrittenObject;
  readonly leaves: readonly Leaf[];
}

/** The values in a line, or below the field that begins in this line. Undefined if no object has this line. */
export function leavesInLine(
  objects: readonly Config[],
  written: (object: Config) => WrittenObject | undefined,
  { file, line }: Pick<SourceLocation, "file" | "line">,
): WrittenLine | undefined {
  for (const config of objects) {
    const { origin } = config;
    if (origin.locate("")?.file !== file) continue;
    const object = written(config);
    const isHere = (path: string) => origin.locate(path)?.line === line;
    const exact = object?.leaves.filter(({ path }) => isHere(path)) ?? [];
    const below =
      object?.leaves.filter(({ steps }) => steps.some((_, end) => isHere(pathOf(steps.slice(0, end))))) ?? [];
    const leaves = exact.length > 0 ? exact : below;
    if (object !== undefined && leaves.length > 0) return { object, leaves };
  }
  return undefined;
}

/**
 * The first other value that is valid. Undefined if the object is invalid with every other value.
 * @param known the numbers in the mesh
 */
export function anotherVersion(object: WrittenObject, leaf: Leaf, known: ReadonlySet<number>): Config | undefined {
  for (const value of otherValues(object, leaf, known)) {
    const version = object.rewritten(leaf, value);
    if (version !== undefined) return version;
  }
  return undefined;
}

/** The paths of the fields by which two versions of a resource differ. A field that one of them lacks counts whole. */
function* differingFields(before: unknown, after: unknown, path = ""): Iterable<string> {
  if (deepEqual(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, item] of before.entries()) yield* differingFields(item, after[index], fieldPath(path, index));
  } else if (isMapping(before) && isMapping(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* differingFields(before[key], after[key], fieldPath(path, key));
    }
  } else yield path;
}

/** The resources of one type, by name. */
export type NamedResources = ReadonlyMap<string, JsonValue>;

/** The effect of a change on one resource. */
export interface ResourceEffect {
  readonly name: string;
  readonly type: "added" | "removed" | "changed";
  /** The changed fields; empty for an added or a removed resource. */
  readonly fields: readonly string[];
}

export function* effectsBetween(before: NamedResources, after: NamedResources): Iterable<ResourceEffect> {
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, current] = [before.get(name), after.get(name)];
    if (old === undefined) yield { name, type: "added", fields: [] };
    else if (current === undefined) yield { name, type: "removed", fields: [] };
    else if (!deepEqual(old, current)) yield { name, type: "changed", fields: [...differingFields(old, current)] };
  }
}
