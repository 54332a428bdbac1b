import { deepEqual } from "../../lib/equal.ts";

/** One thing that a watch shows: a proxy, a source, an object, a message. */
export interface WatchedItem {
  /** Tells the item from the others. */
  readonly key: string;
  /** The item as data. */
  readonly object: unknown;
  /** The item as cells of a table, or as one text for people. */
  readonly cells: readonly string[];
  /** Cells that change with time alone. A change of such a cell is not printed. */
  readonly passing?: ReadonlySet<number>;
}

/** The words of Kubernetes. */
type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** A change of one item. `DELETED` has the last state of the item. */
export interface ItemChange {
  readonly type: ChangeType;
  readonly item: WatchedItem;
}

/** Whether two states of an item print the same. */
export type SameItem = (before: WatchedItem, after: WatchedItem) => boolean;

/** People see cells. */
export function sameCells(before: WatchedItem, { cells, passing }: WatchedItem): boolean {
  const { length } = cells;
  return before.cells.length === length && cells.every((cell, at) => passing?.has(at) || cell === before.cells[at]);
}

/** Programs see data. */
export function sameObject(before: WatchedItem, after: WatchedItem): boolean {
  return deepEqual(before.object, after.object);
}

/** The changes from one state to the next, in the order of the items. Deleted items come first. */
export function itemChanges(
  before: ReadonlyMap<string, WatchedItem>,
  after: ReadonlyMap<string, WatchedItem>,
  isSame: SameItem,
): readonly ItemChange[] {
  const deleted = [...before.values()].filter(({ key }) => !after.has(key));
  const others = [...after.values()].flatMap((item): readonly ItemChange[] => {
    const known = before.get(item.key);
    if (known === undefined) return [{ type: "ADDED", item }];
    return isSame(known, item) ? [] : [{ type: "MODIFIED", item }];
  });
  return [...deleted.map((item): ItemChange => ({ type: "DELETED", item })), ...others];
}
