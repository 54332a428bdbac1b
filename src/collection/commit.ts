import { compareTexts } from "../lib/compare.ts";
import type { SettledChanges } from "./cell.ts";
import type { Change, Collection, Commit } from "./collection.ts";

/** The changes that one settle made to the collections it touched, in creation order. */
export class SettledCommit implements Commit {
  readonly sequence: number;
  readonly collections: readonly string[];
  readonly newlySynced: ReadonlySet<string>;
  readonly #changes: Map<Collection<unknown>, readonly Change<unknown>[]>;
  /** Sorting is lazy: most collections of a large first commit have no listener. */
  readonly #sorted = new Set<Collection<unknown>>();

  constructor(sequence: number, settled: ReadonlyMap<Collection<unknown>, SettledChanges<unknown>>) {
    const touched = [...settled];
    this.sequence = sequence;
    this.collections = touched.map(([{ name }]) => name);
    this.newlySynced = new Set(touched.filter(([, { newlySynced }]) => newlySynced).map(([{ name }]) => name));
    this.#changes = new Map(touched.map(([collection, { changes }]) => [collection, changes]));
  }

  /** Sorted by key. */
  changesOf<T>(collection: Collection<T>): readonly Change<T>[] {
    const changes = this.#changes.get(collection) ?? [];
    if (this.#sorted.has(collection)) return changes as readonly Change<T>[];
    const sorted = changes.toSorted((a, b) => compareTexts(a.key, b.key));
    this.#changes.set(collection, sorted);
    this.#sorted.add(collection);
    // The graph stored these changes under their own collection, so they have its type.
    return sorted as readonly Change<T>[];
  }
}
