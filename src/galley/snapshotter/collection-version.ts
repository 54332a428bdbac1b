import type { Change, View } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import { hash64, hex64 } from "../../lib/hash.ts";

/**
 * The sum of the hashes of all entries. The sum does not depend on order, and entries can be added and subtracted.
 * Views are immutable, so a digest stays valid. Most digests are never needed.
 */
const digests = new WeakMap<View<Config>, bigint>();

/** A hash of the collection's content, independent of order and origin, equal across restarts and replicas. */
export function collectionVersion(view: View<Config>): string {
  let digest = digests.get(view);
  if (digest === undefined) {
    digest = 0n;
    for (const [key, config] of view.entries()) digest = sum(digest, entryHash(key, config));
    digests.set(view, digest);
  }
  return hex64(digest);
}

/**
 * Computes the version of `after` from the version of `before` and the changes, if `before` has one. A reader of the
 * old version probably needs the new one too. The cost depends on the changes, not on the size.
 */
export function carryVersion(before: View<Config>, after: View<Config>, changes: readonly Change<Config>[]): void {
  let digest = digests.get(before);
  if (digest === undefined) return;
  for (const change of changes) {
    if (change.type !== "added") digest = sum(digest, -entryHash(change.key, change.before));
    if (change.type !== "removed") digest = sum(digest, entryHash(change.key, change.after));
  }
  digests.set(after, digest);
}

function entryHash(key: string, { version }: Config): bigint {
  return hash64(JSON.stringify([key, version]));
}

function sum(a: bigint, b: bigint): bigint {
  return BigInt.asUintN(64, a + b);
}
