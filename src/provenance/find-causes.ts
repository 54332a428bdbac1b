import type { JsonValue } from "@bufbuild/protobuf";
import type { Config } from "../config/config.ts";
import { numbersIn, otherValues } from "../config/written/other-values.ts";
import type { Leaf, WrittenObject } from "../config/written/written-object.ts";
import { deepEqual } from "../lib/equal.ts";

/** A change of one object: another version, or its removal. */
interface Edit {
  readonly object: Config;
  readonly version: Config | undefined;
}

/** A line of an object that a value of a resource depends on. */
export interface Cause {
  readonly object: WrittenObject;
  readonly leaf: Leaf;
  /**
   * `value`: another value in this line appears in the resource. `condition`: the line decides whether the resource has
   * the value, but the value is not from this line.
   */
  readonly type: "value" | "condition";
}

/** The objects and lines that a value depends on. */
export interface Causes {
  /** In the order of the objects and of their lines; lines that give the value come first. */
  readonly lines: readonly Cause[];
  /** Objects without a text that the value depends on, such as Secrets. */
  readonly objects: readonly Config[];
}

/** A mesh in which the value of one field can be observed. */
export interface ObservedField {
  readonly value: JsonValue;
  readonly objects: readonly Config[];
  readonly written: (object: Config) => WrittenObject | undefined;
  /** Objects behind the resource: they are looked at line by line, even if the value is the same without them. */
  readonly isOwner: (object: Config) => boolean;
  /** The value of the field after these edits; undefined if the field or its resource is not there. */
  readonly valueWith: (edits: readonly Edit[]) => Promise<JsonValue | undefined>;
}

/**
 * Finds the lines that the value of a field depends on. It changes the mesh and generates the resource again: exactly
 * those lines are causes whose change changes the value. First it finds the objects without which the value is another
 * one, many at once and then halves of them. Then it changes each line of these objects.
 */
export async function findCauses(field: ObservedField): Promise<Causes> {
  const changes = async (edits: readonly Edit[]) => !deepEqual(await field.valueWith(edits), field.value);
  const owners = field.objects.filter((object) => field.isOwner(object));
  const others = field.objects.filter((object) => !field.isOwner(object));
  const needed = await neededAmong(others, (objects) => changes(objects.map(withoutIt)));
  const known = numbersIn(field.objects);
  const lines: Cause[] = [];
  const objects: Config[] = [];
  for (const object of [...owners, ...needed]) {
    const written = field.written(object);
    if (written === undefined) {
      if (await changes([withoutIt(object)])) objects.push(object);
      continue;
    }
    for (const leaf of written.leaves) {
      const cause = await causeAt(written, leaf, { field, known });
      if (cause !== undefined) lines.push(cause);
    }
  }
  return { lines: lines.toSorted((a, b) => rank(a) - rank(b)), objects };
}

function withoutIt(object: Config): Edit {
  return { object, version: undefined };
}

function rank({ type }: Cause): number {
  return type === "value" ? 0 : 1;
}

/** The objects without which the value is another one. A group without an effect needs one look. */
async function neededAmong(
  objects: readonly Config[],
  matters: (objects: readonly Config[]) => Promise<boolean>,
): Promise<readonly Config[]> {
  if (objects.length === 0 || !(await matters(objects))) return [];
  if (objects.length === 1) return objects;
  const half = Math.ceil(objects.length / 2);
  const first = await neededAmong(objects.slice(0, half), matters);
  return [...first, ...(await neededAmong(objects.slice(half), matters))];
}

/** More valid values hardly tell more. */
const mostTried = 3;

/** Writes other values in this line until one of them changes the value of the field. */
async function causeAt(
  written: WrittenObject,
  leaf: Leaf,
  { field, known }: { readonly field: ObservedField; readonly known: ReadonlySet<number> },
): Promise<Cause | undefined> {
  let tried = 0;
  for (const other of otherValues(written, leaf, known)) {
    const version = written.rewritten(leaf, other);
    if (version === undefined) continue;
    const after = await field.valueWith([{ object: written.config, version }]);
    if (!deepEqual(after, field.value)) {
      return { object: written, leaf, type: roleOf(leaf.value, other, { before: field.value, after }) };
    }
    tried += 1;
    if (tried === mostTried) break;
  }
  return undefined;
}

/** Whether the line gives the value, or only decides whether there is one. */
function roleOf(
  value: Leaf["value"],
  other: Leaf["value"] | undefined,
  { before, after }: { readonly before: JsonValue; readonly after: JsonValue | undefined },
): Cause["type"] {
  // The name of a resource may hold the same value, so that the resource with the other value has another name.
  if (after === undefined) return before === value ? "value" : "condition";
  return other !== undefined && shows(after, other) && shows(before, value) ? "value" : "condition";
}

/** Whether a value of the resource shows a value of an object, perhaps as a part: hosts and names are completed. */
function shows(shown: JsonValue | undefined, value: Leaf["value"]): boolean {
  if (shown === undefined || shown === null) return false;
  if (typeof shown === "object") return Object.values(shown).some((each) => shows(each, value));
  if (typeof value === "boolean" || typeof shown === "boolean") return shown === value;
  return String(shown).includes(String(value));
}
