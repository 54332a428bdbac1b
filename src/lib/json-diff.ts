import { compareTexts } from "./compare.ts";
import { deepEqual } from "./equal.ts";
import { isMapping } from "./is-mapping.ts";

/** A place where two JSON values differ. A value that only one side has is absent on the other side. */
export interface ValueDiff {
  /** `spec.http[0].route[1].weight`; empty for the whole value. */
  readonly path: string;
  readonly here?: unknown;
  readonly there?: unknown;
}

/**
 * The differences between two JSON values, in the order of the first one. An item of a list is compared with the item of
 * the same name. Without names, equal items at both ends stay together, so that one inserted item is one difference.
 */
export function jsonDiff(here: unknown, there: unknown, path = ""): readonly ValueDiff[] {
  if (isMapping(here) && isMapping(there)) {
    const keys = new Set([...Object.keys(here), ...Object.keys(there)]);
    return [...keys].flatMap((key) => sideBySide(here[key], there[key], joined(path, key)));
  }
  if (Array.isArray(here) && Array.isArray(there)) return listDiff(here, there, path);
  return deepEqual(here, there) ? [] : [{ path, here, there }];
}

function sideBySide(here: unknown, there: unknown, path: string): readonly ValueDiff[] {
  if (here === undefined) return there === undefined ? [] : [{ path, there }];
  return there === undefined ? [{ path, here }] : jsonDiff(here, there, path);
}

/** A key with a dot or a bracket in it is quoted: `labels["app.kubernetes.io/name"]`. */
function joined(path: string, key: string): string {
  if (!/^[\w-]+$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

function listDiff(here: readonly unknown[], there: readonly unknown[], path: string): readonly ValueDiff[] {
  const [ours, theirs] = [byName(here), byName(there)];
  if (ours !== undefined && theirs !== undefined) {
    const names = [...new Set([...ours.keys(), ...theirs.keys()])];
    const moved = isReordered([...ours.keys()], [...theirs.keys()]);
    return [
      ...names.flatMap((name) => sideBySide(ours.get(name), theirs.get(name), `${path}[${name}]`)),
      ...(moved ? [{ path: `${path} (order)`, here: [...ours.keys()], there: [...theirs.keys()] }] : []),
    ];
  }
  const start = equalCount(here, there);
  const end = equalCount(here.slice(start).toReversed(), there.slice(start).toReversed());
  const [before, after] = [here.slice(start, here.length - end), there.slice(start, there.length - end)];
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) =>
    sideBySide(before[index], after[index], `${path}[${start + index}]`),
  ).flat();
}

/** Undefined if an item has no name, or two items have the same one. */
function byName(items: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const item of items) {
    const name = isMapping(item) ? item["name"] : undefined;
    if (typeof name !== "string" || name === "" || named.has(name)) return undefined;
    named.set(name, item);
  }
  return named;
}

/** Whether the names on both sides have another order. */
function isReordered(ours: readonly string[], theirs: readonly string[]): boolean {
  const common = new Set(ours).intersection(new Set(theirs));
  const [a, b] = [ours, theirs].map((names) => names.filter((name) => common.has(name)));
  return compareTexts(JSON.stringify(a), JSON.stringify(b)) !== 0;
}

/** How many items at the begin are equal. */
function equalCount(here: readonly unknown[], there: readonly unknown[]): number {
  const different = here.findIndex((item, index) => index >= there.length || !deepEqual(item, there[index]));
  return different === -1 ? here.length : different;
}
