import type { Facet, Listing } from "./model/listing.ts";

const defaultLimit = 50;
const maxLimit = 200;

/**
 * One page of items in the order of their keys. A cursor is the key of the last item of the page before, so that items
 * which come and go do not shift the pages. `items` must be sorted by `compare`.
 */
export function paginate<T>(
  items: readonly T[],
  query: URLSearchParams,
  { keyOf, compare }: { readonly keyOf: (item: T) => string; readonly compare: (a: string, b: string) => number },
): Listing<T> {
  const cursor = query.get("cursor") ?? "";
  const limit = limitIn(query);
  const rest = cursor === "" ? items : items.filter((item) => compare(keyOf(item), cursor) > 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page,
    total: items.length,
    ...(rest.length > page.length && last !== undefined && { next: keyOf(last) }),
  };
}

function limitIn(query: URLSearchParams): number {
  const wanted = Number(query.get("limit") ?? defaultLimit);
  return Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, maxLimit) : defaultLimit;
}

/** Most frequent first, at most 50. */
function facetOf(counts: ReadonlyMap<string, number>): readonly Facet[] {
  return Array.from(counts, ([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, 50);
}

/**
 * The items that match all filters, and the facets: each counts the items that match all other filters. Looks at each item
 * once, and asks once for each of its values.
 */
export function filterBy<T, Name extends string>(
  items: readonly T[],
  query: URLSearchParams,
  valueOf: Readonly<Record<Name, (item: T) => string>>,
): { readonly matching: readonly T[]; readonly facets: Readonly<Record<Name, readonly Facet[]>> } {
  const names = Object.keys(valueOf) as Name[];
  const filters = names.map((name) => ({
    name,
    wanted: query.has(name) ? new Set(query.getAll(name)) : undefined,
    counts: new Map<string, number>(),
  }));
  const matching: T[] = [];
  for (const item of items) {
    const values = filters.map(({ name }) => valueOf[name](item));
    const failed = filters.filter(({ wanted }, index) => wanted !== undefined && !wanted.has(values[index] ?? ""));
    if (failed.length === 0) matching.push(item);
    if (failed.length > 1) continue;
    for (const [index, filter] of filters.entries()) {
      // An item that fails one filter counts for that one alone.
      if (failed.length === 1 && failed[0] !== filter) continue;
      const value = values[index] ?? "";
      filter.counts.set(value, (filter.counts.get(value) ?? 0) + 1);
    }
  }
  const facets = filters.map(({ name, counts }) => [name, facetOf(counts)] as const);
  return { matching, facets: Object.fromEntries(facets) as Record<Name, readonly Facet[]> };
}
