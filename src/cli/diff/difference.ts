import { compareTexts } from "../../lib/compare.ts";
import { jsonDiff, type ValueDiff } from "../../lib/json-diff.ts";

/** One object or one resource of a side. */
export interface ComparedThing {
  /** Tells it from the others on its side, and finds it on the other side. */
  readonly id: string;
  /** `VirtualService shop/reviews`, or `cluster outbound|80||reviews.shop`. */
  readonly name: string;
  /** `file:line`; empty if it is unknown. */
  readonly reference: string;
  /** Equal versions have equal content. Absent where versions mean nothing. */
  readonly version?: string;
  /** The content that may be shown. */
  readonly content: unknown;
}

/** A difference between two sides, A and B. */
export interface Difference {
  readonly operation: "added" | "removed" | "changed";
  readonly name: string;
  /** In B; in A for a removed thing. */
  readonly reference: string;
  /** Empty unless it changed. */
  readonly fields: readonly FieldChange[];
}

export interface FieldChange {
  readonly path: string;
  /** Absent if B added the field. */
  readonly before?: unknown;
  /** Absent if B lacks the field. */
  readonly after?: unknown;
}

/** Stands for content that nobody may see. */
const hidden = "[redacted]";

/** The changes from A to B, by name. */
export function differencesOf(a: readonly ComparedThing[], b: readonly ComparedThing[]): readonly Difference[] {
  const before = new Map(a.map((thing) => [thing.id, thing]));
  const after = new Map(b.map((thing) => [thing.id, thing]));
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const all = ids.flatMap((id) => differenceOf(before.get(id), after.get(id)));
  return all.toSorted((one, other) => compareTexts(one.name, other.name));
}

function differenceOf(before: ComparedThing | undefined, after: ComparedThing | undefined): readonly Difference[] {
  if (before === undefined) {
    return after === undefined
      ? []
      : [{ operation: "added", name: after.name, reference: after.reference, fields: [] }];
  }
  const { name, reference } = after ?? before;
  if (after === undefined) return [{ operation: "removed", name, reference, fields: [] }];
  const fields = fieldChanges(before, after);
  return fields.length === 0 ? [] : [{ operation: "changed", name, reference, fields }];
}

function fieldChanges(before: ComparedThing, after: ComparedThing): readonly FieldChange[] {
  if (before.version !== undefined && before.version === after.version) return [];
  const shown = jsonDiff(before.content, after.content).map(changeOf);
  // The version covers the content of a Secret, which is not shown.
  const isHidden = shown.length === 0 && isSealed(before.content) && before.version !== after.version;
  return isHidden ? [{ path: "data", before: hidden, after: hidden }] : shown;
}

function changeOf({ path, ...sides }: ValueDiff): FieldChange {
  return {
    path,
    ...("here" in sides && { before: sides.here }),
    ...("there" in sides && { after: sides.there }),
  };
}

function isSealed(content: unknown): boolean {
  return typeof content === "object" && content !== null && "spec" in content && content.spec === null;
}
