import { canonicalKey, type Plain } from "../../../../lib/canonical-key.ts";
import { oncePer } from "../../../../lib/memo.ts";
import type { Service } from "../../../model/service/service.ts";

/** Listeners that are remembered for a namespace. Proxies with other labels or settings have other listeners. */
const maxListeners = 64;

/**
 * The last result for each listener, so that the next one can take over all that an edit did not change. A result never
 * depends on it. The results are held by the list of services that they were made for.
 */
export class LastMade<T extends { readonly services: readonly Service[] }> {
  /** By namespace, then by listener. */
  readonly #of = oncePer((_services: readonly Service[]) => new Map<string, Map<string, T>>());

  /** The result of `make`, which gets the last result of the same listener. `facts` tell listeners apart. */
  revise<F extends { readonly namespace: string }>(
    services: readonly Service[],
    facts: F & Plain<F>,
    make: (before: T | undefined) => T,
  ): T {
    const results = this.#resultsFor(services, facts.namespace);
    const key = canonicalKey<F>(facts);
    const made = make(results.get(key));
    results.delete(key);
    results.set(key, made);
    const [oldest] = results.keys();
    if (oldest !== undefined && results.size > maxListeners) results.delete(oldest);
    return made;
  }

  /** Lets the listeners of a namespace begin with the results for another list, unless they have results for this one. */
  carry(from: readonly Service[], to: readonly Service[], namespace: string): void {
    const results = this.#resultsFor(to, namespace);
    if (from === to || results.size > 0) return;
    // Results of an older list belong to listeners that are gone.
    for (const [key, made] of this.#resultsFor(from, namespace)) if (made.services === from) results.set(key, made);
  }

  #resultsFor(services: readonly Service[], namespace: string): Map<string, T> {
    const all = this.#of(services);
    const results = all.get(namespace) ?? new Map<string, T>();
    all.set(namespace, results);
    return results;
  }
}

/** Where two lists differ: the elements between their common beginning and their common end. */
export interface Difference<T> {
  /** The position of the first difference. */
  readonly at: number;
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

/** More than a few elements are rather made anew. */
const maxDifference = 32;

/** The difference of two lists; undefined for a large one. */
export function differenceOf<T>(before: readonly T[], after: readonly T[]): Difference<T> | undefined {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  if (before === after) at = shorter;
  else while (at < shorter && before[at] === after[at]) at++;
  let end = 0;
  while (end < shorter - at && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  if (Math.max(before.length, after.length) - at - end > maxDifference) return undefined;
  return { at, removed: before.slice(at, before.length - end), added: after.slice(at, after.length - end) };
}
