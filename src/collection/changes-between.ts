import { compareTexts } from "../lib/compare.ts";
import type { Change, View } from "./collection.ts";
import { ShardedView } from "./cow-map.ts";

/**
 * The changes that turn `before` into `after`, sorted by key. Without a `before`, every entry is an addition. Values
 * are compared by identity, so callers give views that keep the object of equal content. Between snapshots of one
 * collection only the shards written in between cost time, unless the collection has outgrown its shards.
 */
export function changesBetween<T>(before: View<T> | undefined, after: View<T>): Change<T>[] {
  if (before === after) return [];
  const changes: Change<T>[] = [];
  if (before instanceof ShardedView && after instanceof ShardedView && before.shards.length === after.shards.length) {
    for (const [index, shard] of after.shards.entries()) {
      const earlier: ReadonlyMap<string, T> | undefined = before.shards[index];
      if (earlier !== shard) collect(changes, earlier, shard);
    }
  } else {
    collect(changes, before, after);
  }
  return changes.toSorted((a, b) => compareTexts(a.key, b.key));
}

/** The methods that a view and a shard share. */
interface Entries<T> {
  get(key: string): T | undefined;
  entries(): Iterable<readonly [key: string, value: T]>;
}

function collect<T>(changes: Change<T>[], before: Entries<T> | undefined, after: Entries<T>): void {
  for (const [key, value] of after.entries()) {
    const earlier = before?.get(key);
    if (earlier === undefined) changes.push({ type: "added", key, after: value });
    else if (earlier !== value) changes.push({ type: "updated", key, before: earlier, after: value });
  }
  for (const [key, earlier] of before?.entries() ?? []) {
    if (after.get(key) === undefined) changes.push({ type: "removed", key, before: earlier });
  }
}
