import { namespaceOf } from "../model/config-id.ts";
import type { PushRequest } from "../model/push-request.ts";

/** With more changes than this before one push, a namespace is busy. */
const busyFrom = 16;

/**
 * Counts, by namespace, the changes that wait for the next push. A busy namespace does not prolong the wait of others:
 * its further changes join the push that others wait for. While only busy namespaces change, each change still
 * prolongs the wait, so that a burst becomes one push.
 */
export class FairWindow {
  readonly #changes = new Map<string, number>();
  /** Namespaces with changes that are not busy. */
  #calm = 0;

  /** Whether the wait for further changes starts again (`prolong`), or the changes leave with those before (`join`). */
  add(request: PushRequest): "prolong" | "join" {
    const counts = changesByNamespace(request);
    for (const [namespace, count] of counts) this.#count(namespace, count);
    const isBusy = counts.keys().every((namespace) => (this.#changes.get(namespace) ?? 0) > busyFrom);
    return isBusy && this.#calm > 0 ? "join" : "prolong";
  }

  /** The push has begun. */
  clear(): void {
    this.#changes.clear();
    this.#calm = 0;
  }

  #count(namespace: string, count: number): void {
    const before = this.#changes.get(namespace) ?? 0;
    const after = before + count;
    this.#changes.set(namespace, after);
    if (before === 0 && after <= busyFrom) this.#calm += 1;
    if (before > 0 && before <= busyFrom && after > busyFrom) this.#calm -= 1;
  }
}

/** A request that names no objects concerns the whole mesh. */
function changesByNamespace({ changed }: PushRequest): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of changed) counts.set(namespaceOf(id), (counts.get(namespaceOf(id)) ?? 0) + 1);
  return counts.size === 0 ? new Map([["", 1]]) : counts;
}
