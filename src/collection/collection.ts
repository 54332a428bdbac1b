/**
 * The vocabulary of the kernel: keyed collections, immutable views of them, and the changes between two moments. A
 * collection never holds two different objects for equal content of one key. Everything downstream may therefore read
 * identity as "unchanged". In return, callers never change a value that they wrote or read. The same thing keeps the
 * same key in all writes.
 */

/** The change of one key between two moments. A commit has at most one change per key. */
export type Change<T> =
  | { readonly type: "added"; readonly key: string; readonly after: T }
  | { readonly type: "updated"; readonly key: string; readonly before: T; readonly after: T }
  | { readonly type: "removed"; readonly key: string; readonly before: T };

/** An immutable snapshot of a collection. Taking one is cheap; without changes in between, it is the same object. */
export interface View<T> {
  readonly name: string;
  readonly size: number;
  get(key: string): T | undefined;
  entries(): Iterable<readonly [key: string, value: T]>;
  values(): Iterable<T>;
}

/**
 * A live collection, as `Graph` returns it. Its content changes with every batch. Callers finish an iteration before the
 * next batch, or read from a snapshot. A derivation reads through {@link Tracked} instead: reads here are not recorded.
 */
export interface Collection<T> extends View<T> {
  /** True once all initial entries have arrived. Never becomes false again. */
  readonly synced: boolean;
  snapshot(): View<T>;
}

/**
 * A collection as a derivation sees it. It records every read, and only changes of those entries run the derivation
 * again. The derivation must not keep it: after the run every read throws.
 */
export interface Tracked<T> {
  get(key: string): T | undefined;
  /** Reads every entry: any change of the collection runs the derivation again for this input. */
  values(): Iterable<T>;
}

/** The changes of one settled batch. No reader sees a state between two commits. Callers may keep it. */
export interface Commit {
  readonly sequence: number;
  /** The names of the collections that changed, or became synced, in creation order. */
  readonly collections: readonly string[];
  readonly newlySynced: ReadonlySet<string>;
  /** The changes of a collection of the same graph, sorted by key. Empty if the batch did not change it. */
  changesOf<T>(collection: Collection<T>): readonly Change<T>[];
}

/** A derivation that threw for one input. Readers still see its last good output for that input. */
export interface Problem {
  /** The name of the collection. It may be an input, if its values cannot be compared. */
  readonly derivation: string;
  /** The input key. Empty if the collection as a whole failed to settle. */
  readonly input: string;
  /** The input value at the time of the error. */
  readonly value: unknown;
  readonly cause: Error;
}
