import { isMapping } from "../../lib/is-mapping.ts";
import type { ValueDiff } from "./model/proxies.ts";

/**
 * The differences between two JSON values, in the order of the first one. Items of lists are compared with the item of
 * the same name, else with an equal item, else in order, so that an inserted item is one difference.
 */
export function jsonDiff(here: unknown, there: unknown, path = ""): readonly ValueDiff[] {
  if (isMapping(here) && isMapping(there)) {
    const keys = new Set([...Object.keys(here), ...Object.keys(there)]);
    return [...keys].flatMap((key) => sideBySide(here[key], there[key], path === "" ? key : `${path}.${key}`));
  }
  if (Array.isArray(here) && Array.isArray(there)) {
    return pairsOf(here, there).flatMap(({ index, here: own, there: other }) =>
      sideBySide(own, other, `${path}[${index}]`),
    );
  }
  return textOf(here) === textOf(there) ? [] : [{ path, here, there }];
}

/** A missing side is absent in the difference. */
function sideBySide(here: unknown, there: unknown, path: string): readonly ValueDiff[] {
  if (here === undefined) return there === undefined ? [] : [{ path, there }];
  return there === undefined ? [{ path, here }] : jsonDiff(here, there, path);
}

interface Pair {
  /** In the first list, else in the second. */
  readonly index: number;
  readonly here: unknown;
  readonly there: unknown;
}

function pairsOf(here: readonly unknown[], there: readonly unknown[]): readonly Pair[] {
  const keyed = [...here, ...there].every((item) => nameOf(item) !== undefined);
  const keyOf = (item: unknown) => (keyed ? nameOf(item) : undefined) ?? textOf(item);
  const others = Map.groupBy(there.entries(), ([, item]) => keyOf(item));
  const partners = here.map((item) => others.get(keyOf(item))?.shift());
  const rest = [...others.values()].flat().toSorted(([a], [b]) => a - b);
  const pairs = here.map((item, index): Pair => {
    // An item without an equal one has probably changed, unless names say otherwise.
    const partner = partners[index] ?? (keyed ? undefined : rest.shift());
    return { index, here: item, there: partner?.[1] };
  });
  return [...pairs, ...rest.map(([index, item]): Pair => ({ index, here: undefined, there: item }))];
}

function nameOf(item: unknown): string | undefined {
  return isMapping(item) && typeof item["name"] === "string" ? item["name"] : undefined;
}

/** Equal for equal values, whatever the order of keys. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isMapping(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
