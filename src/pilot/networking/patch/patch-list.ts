import type { PatchOperation } from "../../model/policy/envoy-patch.ts";

interface ListPatch<Item> {
  readonly operation: PatchOperation;
  /** Undefined if the patch names no item. */
  readonly isMatch: ((item: Item) => boolean) | undefined;
  readonly value: () => Item;
}

/**
 * The list after an ADD, INSERT_*, REPLACE or REMOVE; undefined if nothing changes. INSERT_* and REPLACE act on the first
 * match only. Without an item to look for, the insertions go to an end of the list, and REPLACE and REMOVE do nothing.
 */
export function patchList<Item>(items: readonly Item[], patch: ListPatch<Item>): Item[] | undefined {
  const { operation, isMatch, value } = patch;
  const at = isMatch === undefined ? -1 : items.findIndex(isMatch);
  switch (operation) {
    case "ADD":
      return [...items, value()];
    case "INSERT_FIRST":
      return [value(), ...items];
    case "INSERT_BEFORE":
      if (isMatch === undefined) return [value(), ...items];
      return at === -1 ? undefined : items.toSpliced(at, 0, value());
    case "INSERT_AFTER":
      if (isMatch === undefined) return [...items, value()];
      return at === -1 ? undefined : items.toSpliced(at + 1, 0, value());
    case "REPLACE":
      return at === -1 ? undefined : items.toSpliced(at, 1, value());
    case "REMOVE":
      return at === -1 || isMatch === undefined ? undefined : items.filter((item) => !isMatch(item));
    case "MERGE":
    case "MERGE_AND_REPLACE_LIST":
    default:
      return undefined;
  }
}
