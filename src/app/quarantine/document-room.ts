import type { KnownRefusals } from "./refusal-conversion.ts";
import type { StoredRefusal } from "./refusal-document.ts";

/** A ConfigMap holds 1 MiB. */
const maxBytes = 900_000;

interface Fitting {
  readonly kept: KnownRefusals;
  /** How many have no room. */
  readonly leftOut: number;
}

/** The newest refusals that fit into a document together. The choice does not depend on their order. */
export function fittingRefusals(all: KnownRefusals): Fitting {
  const kept = new Map<string, StoredRefusal>();
  let bytes = 0;
  for (const [key, refusal] of [...all].toSorted(newestFirst)) {
    const size = Buffer.byteLength(JSON.stringify([[refusal]], undefined, 1));
    if (bytes + size > maxBytes) continue;
    bytes += size;
    kept.set(key, refusal);
  }
  return { kept, leftOut: all.size - kept.size };
}

function newestFirst(
  [key, { since }]: readonly [string, StoredRefusal],
  [otherKey, other]: readonly [string, StoredRefusal],
): number {
  if (since !== other.since) return other.since - since;
  return key < otherKey ? -1 : 1;
}
