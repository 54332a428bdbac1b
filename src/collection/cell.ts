import type { Change, Collection, Problem, View } from "./collection.ts";
import { CowMap } from "./cow-map.ts";
import { Problems } from "./problems.ts";

/**
 * Decides whether two values have equal content. Callers give a pure function that does not throw. Values that it calls
 * equal must be interchangeable, because the collection keeps the older one. If it throws, the two values count as
 * different, and the graph lists a problem.
 */
export type Equals<T> = (a: T, b: T) => boolean;

/** The same collection in another graph. */
export type Twin<T> = Pick<Collection<T>, "get">;

/** A collection as its dependants inside the graph see it. */
export interface Upstream<T> extends Collection<T> {
  /** The changes of the settle in progress. The list is complete once the node that fills it has settled. */
  readonly changes: readonly Change<T>[];
}

/**
 * The contents of one node of the graph: its entries, and the changes of the settle in progress. A node writes each key
 * at most once per settle, so changes need no merging.
 */
export class Cell<T> implements Upstream<T> {
  readonly name: string;
  readonly #equals: Equals<T>;
  readonly #twin: Twin<T> | undefined;
  readonly #map = new CowMap<T>();
  readonly #problems: Problems;
  #changes: Change<T>[] = [];
  #synced = false;
  #newlySynced = false;
  #view: View<T> | undefined;

  constructor(name: string, equals: Equals<T>, twin?: Twin<T>) {
    this.name = name;
    this.#equals = equals;
    this.#twin = twin;
    this.#problems = new Problems(name);
  }

  get problems(): ReadonlyMap<string, Problem> {
    return this.#problems.byInput;
  }

  get size(): number {
    return this.#map.size;
  }

  get synced(): boolean {
    return this.#synced;
  }

  get changes(): readonly Change<T>[] {
    return this.#changes;
  }

  get(key: string): T | undefined {
    return this.#map.get(key);
  }

  entries(): Iterable<readonly [key: string, value: T]> {
    return this.#map.entries();
  }

  values(): Iterable<T> {
    return this.#map.values();
  }

  snapshot(): View<T> {
    this.#view ??= this.#map.freeze(this.name);
    return this.#view;
  }

  /**
   * Returns the object that the cell holds from now on. If the content is equal, that is the earlier object, or that of
   * the twin.
   */
  write(key: string, value: T): T {
    const before = this.#map.get(key);
    if (before !== undefined && this.#isSame(key, before, value)) return before;
    const twin = this.#twin?.get(key);
    const after = twin !== undefined && this.#isSame(key, twin, value) ? twin : value;
    if (before === undefined) this.#change({ type: "added", key, after });
    else this.#change({ type: "updated", key, before, after });
    this.#map.set(key, after);
    return after;
  }

  remove(key: string): void {
    const before = this.#map.get(key);
    if (before === undefined) return;
    this.#change({ type: "removed", key, before });
    this.#map.delete(key);
    this.#problems.clear(key);
  }

  markSynced(): void {
    if (this.#synced) return;
    this.#synced = true;
    this.#newlySynced = true;
  }

  /** Ends a settle: returns the changes it made to this cell, and starts the next settle clean. */
  takeChanges(): SettledChanges<T> {
    const settled = { changes: this.#changes, newlySynced: this.#newlySynced };
    this.#changes = [];
    this.#newlySynced = false;
    return settled;
  }

  /** Undoes the changes of the settle in progress. The contents are those of the last commit again. */
  revert(): void {
    for (const change of this.#changes.toReversed()) {
      if (change.type === "added") this.#map.delete(change.key);
      else this.#map.set(change.key, change.before);
    }
    if (this.#newlySynced) this.#synced = false;
    this.takeChanges();
    this.#view = undefined;
  }

  /** Equality only saves work downstream. If it throws, the cell takes the new value. */
  #isSame(key: string, before: T, after: T): boolean {
    if (before === after) return true;
    const verdict = this.#problems.attempt(key, after, () => ({ equal: this.#equals(before, after) }));
    return verdict?.equal ?? false;
  }

  #change(change: Change<T>): void {
    this.#changes.push(change);
    this.#view = undefined;
  }
}

export interface SettledChanges<T> {
  readonly changes: readonly Change<T>[];
  readonly newlySynced: boolean;
}
