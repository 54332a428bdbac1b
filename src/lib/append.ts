/**
 * Adds every item to the end of the list. `list.push(...items)` passes each item as an argument, and some 100 000
 * arguments overflow the call stack.
 */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
