import { isRefused } from "../../config/finding.ts";
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

/** One edit: an object to write or to delete. */
export interface ObjectEdit {
  readonly object: WrittenObject;
  readonly deleted: boolean;
  /**
   * Changes only one field of the spec if the object exists already. The number counts over the fields of both specs.
   * An edit of a whole object hides a forgotten field.
   */
  readonly field?: number;
}

/** A server under test that accepts objects. */
export interface ObjectSink {
  apply(text: string): void;
  removeAll(text: string): void;
}

/** The objects that exist after a history of edits. Invalid objects change nothing, as with every source. */
export class WrittenObjects {
  readonly #objects = new Map<string, WrittenObject>();

  /** Applies an edit here and in `sink`. Returns the written or deleted object, if there is one. */
  edit(edit: ObjectEdit, sink: ObjectSink): WrittenObject | undefined {
    const key = keyOf(edit.object);
    const before = this.#objects.get(key);
    if (edit.deleted) {
      if (before === undefined) return undefined;
      this.#objects.delete(key);
      sink.removeAll(JSON.stringify(before));
      return before;
    }
    const whole = before === undefined || edit.field === undefined || before.apiVersion !== edit.object.apiVersion;
    const after = whole ? edit.object : merged(before, edit);
    if (!isValid(after)) return undefined;
    this.#objects.set(key, after);
    if (before !== undefined && before.apiVersion !== after.apiVersion) sink.removeAll(JSON.stringify(before));
    sink.apply(JSON.stringify(after));
    return after;
  }

  /** Sorted by key: the served resources do not depend on the order in which objects arrived. */
  get texts(): readonly string[] {
    const sorted = [...this.#objects].toSorted(([a], [b]) => compareTexts(a, b));
    return sorted.map(([, object]) => JSON.stringify(object));
  }
}

/** Ignores the version: to users, an Ingress of the old API is the same as one of the new API. */
function keyOf({ kind, metadata: { namespace = "", name } }: WrittenObject): string {
  return `${kind} ${namespace} ${name}`;
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
  return !isRefused(issues);
}
