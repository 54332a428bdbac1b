import type { Config } from "../../../config/config.ts";

/** The memory of an object without lists, and of one item of its lists. */
interface Size {
  readonly object: number;
  readonly item: number;
}

/** A little more than `npm run bench -- sizing` measures: in the source, in both graphs, and in the parts of proxies. */
const sizes: Readonly<Record<string, Size>> = {
  ServiceEntry: { object: 35_000, item: 3_500 },
  Service: { object: 35_000, item: 3_500 },
  VirtualService: { object: 6_000, item: 6_000 },
  DestinationRule: { object: 8_000, item: 10_000 },
  AuthorizationPolicy: { object: 6_000, item: 2_000 },
};
/** For kinds that are not measured. */
const otherSize: Size = { object: 20_000, item: 6_000 };

/** An object of which nothing is known. */
export const typicalBytes = otherSize.object;

/**
 * An estimate of the memory that an object takes. It counts the lists of the spec, because endpoints, routes and subsets
 * are most of a large object.
 */
export function objectBytes({ kind, spec }: Pick<Config, "kind" | "spec">): number {
  const { object, item } = sizes[kind] ?? otherSize;
  return object + item * itemsIn(spec);
}

/**
 * The messages in the lists of a spec. An item counts as often as its longest list has messages: each match of a route,
 * each address of Endpoints is generated.
 */
function itemsIn(spec: unknown): number {
  let items = 0;
  for (const list of listsIn(spec)) for (const item of list) items += copiesOf(item);
  return items;
}

function copiesOf(item: unknown): number {
  let most = 1;
  for (const { length } of listsIn(item)) most = Math.max(most, length);
  return most;
}

const none: readonly (readonly unknown[])[] = [];

/** The lists of messages of a message. Most messages have none. */
function listsIn(message: unknown): readonly (readonly unknown[])[] {
  if (typeof message !== "object" || message === null) return none;
  let lists: (readonly unknown[])[] | undefined;
  for (const name in message) {
    const value: unknown = Reflect.get(message, name);
    if (Array.isArray(value) && typeof value[0] === "object") (lists ??= []).push(value);
  }
  return lists ?? none;
}
