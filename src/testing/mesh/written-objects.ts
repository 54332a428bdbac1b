import { kinds } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { compareTexts } from "../../lib/compare.ts";

/** An object as a user writes it. */
export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly spec?: object;
  readonly [field: string]: unknown;
}

/** One edit: an object to write, or to take away. */
export interface ObjectEdit {
  readonly object: WrittenObject;
  readonly deleted: boolean;
  /**
   * Changes one field of the spec alone, where the object is there already: counted over the fields of both specs.
   * An edit of a whole object hides that one of its fields was forgotten somewhere.
   */
  readonly field?: number;
}

/** What takes objects: a server under test. */
export interface ObjectSink {
  apply(text: string): void;
  removeAll(text: string): void;
}

/** The objects that are there after a history of edits. Invalid objects change nothing, as with every source. */
export class WrittenObjects {
  readonly #objects = new Map<string, WrittenObject>();

  /** Applies an edit here and in `sink`. */
  edit(edit: ObjectEdit, sink: ObjectSink): void {
    const key = keyOf(edit.object);
    const before = this.#objects.get(key);
    if (edit.deleted) {
      if (before === undefined) return;
      this.#objects.delete(key);
      sink.removeAll(JSON.stringify(before));
      return;
    }
    const after = before === undefined || edit.field === undefined ? edit.object : merged(before, edit);
    if (!isValid(after)) return;
    this.#objects.set(key, after);
    sink.apply(JSON.stringify(after));
  }

  /** Sorted by key: what a server serves does not depend on the order in which objects came. */
  get texts(): readonly string[] {
    const sorted = [...this.#objects].toSorted(([a], [b]) => compareTexts(a, b));
    return sorted.map(([, object]) => JSON.stringify(object));
  }
}

function keyOf({ apiVersion, kind, metadata: { namespace = "", name } }: WrittenObject): string {
  return `${apiVersion} ${kind} ${namespace} ${name}`;
}

function merged(before: WrittenObject, { object, field = 0 }: ObjectEdit): WrittenObject {
  const [was, is] = [before, object].map(({ spec }) => new Map<string, unknown>(Object.entries(spec ?? {})));
  const fields = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
  const changed = fields[field % Math.max(fields.length, 1)] ?? "";
  const spec = new Map(was);
  if (is?.has(changed) === true) spec.set(changed, is.get(changed));
  else spec.delete(changed);
  return { ...before, spec: Object.fromEntries(spec) };
}

function isValid(object: WrittenObject): boolean {
  const text = JSON.stringify(object);
  const { issues } = parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "default" });
  return issues.every(({ severity }) => severity !== "error");
}
