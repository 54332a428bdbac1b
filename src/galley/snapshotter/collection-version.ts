import type { Change, View } from "../../collection/collection.ts";
import type { Config } from "../../config/config.ts";
import { hash64, hex64 } from "../../lib/hash.ts";

/**
 * The sum of the hashes of all entries: it does not depend on their order, and what is added to it can be taken away
 * again. Views are immutable, so a digest once computed holds for ever; most are never asked for.
 */
const digests = new WeakMap<View<Config>, bigint>();

/** A hash of what the collection holds: independent of order and origin, equal across restarts and replicas. */
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
 * Tells the version of `after`, if somebody asked for that of `before`: whoever did is likely to ask again, and from
 * the changes between both it costs what changed, not what there is.
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
