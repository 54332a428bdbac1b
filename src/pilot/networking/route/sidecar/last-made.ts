import { canonicalKey, type Plain } from "../../../../lib/canonical-key.ts";
import { oncePer } from "../../../../lib/memo.ts";
import type { Service } from "../../../model/service/service.ts";

/** Listeners that are remembered for the same services. Proxies with other labels or settings have other listeners. */
const maxListeners = 64;

/**
 * The last result for each listener, so that the next one can take over all that an edit did not change. A result never
 * depends on it. The results are held by the list of services: another list has other hosts, and begins anew.
 */
export class LastMade<T> {
  readonly #of = oncePer((_services: readonly Service[]) => new Map<string, T>());

  /** The result of `make`, which gets the last result of the same listener. `facts` tell listeners apart. */
  revise<F>(services: readonly Service[], facts: F & Plain<F>, make: (before: T | undefined) => T): T {
    const results = this.#of(services);
    const key = canonicalKey<F>(facts);
    const made = make(results.get(key));
    results.delete(key);
    results.set(key, made);
    const [oldest] = results.keys();
    if (oldest !== undefined && results.size > maxListeners) results.delete(oldest);
    return made;
  }
}

/** Whether two lists have the same elements. */
export function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
