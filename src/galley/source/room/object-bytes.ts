import type { Config } from "../../../config/config.ts";

/** The heap that an object takes in the whole server. `npm run bench -- sizing` measures it. */
export const leastBytes = 20_000;
/** The heap of one endpoint, route, subset, rule or port of an object. */
const bytesPerItem = 3_500;

/**
 * An estimate of the heap that an object takes: in its source, in both graphs, and in the parts of proxies. It counts
 * the lists of the spec, because endpoints and routes are most of a large object. The estimate is rather too high.
 */
export function objectBytes({ spec }: Pick<Config, "spec">): number {
  return leastBytes + bytesPerItem * itemsIn(spec);
}

/**
 * The messages in the lists of a spec. An item counts as often as its longest list has messages: each match of a route,
 * each address of Endpoints is generated.
 */
function itemsIn(spec: unknown): number {
  return listsIn(spec).reduce((sum, list) => sum + list.reduce<number>((items, item) => items + copiesOf(item), 0), 0);
}

function copiesOf(item: unknown): number {
  return listsIn(item).reduce((most, { length }) => Math.max(most, length), 1);
}

/** The lists of messages of a message. */
function listsIn(message: unknown): readonly (readonly unknown[])[] {
  if (typeof message !== "object" || message === null) return [];
  return Object.values(message).filter((value): value is readonly unknown[] => {
    return Array.isArray(value) && typeof value[0] === "object";
  });
}
