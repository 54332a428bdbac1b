/**
 * The vocabulary of the kernel: keyed collections, immutable views of them, and the changes between two moments.
 * Values are immutable; a collection never holds two different objects for equal content of one key, so identity
 * means "unchanged" for everyone downstream.
 */

/** One key between two moments. There is at most one per key and commit. */
export type Change<T> =
  | { readonly type: "added"; readonly key: string; readonly after: T }
  | { readonly type: "updated"; readonly key: string; readonly before: T; readonly after: T }
  | { readonly type: "removed"; readonly key: string; readonly before: T };

/** An immutable picture of a collection. Taking one is cheap; equal moments give the same object. */
export interface View<T> {
  readonly name: string;
  readonly size: number;
  get(key: string): T | undefined;
  entries(): Iterable<readonly [key: string, value: T]>;
  values(): Iterable<T>;
}

/** The live side: what `Graph` hands out. Reading it inside a derivation goes through {@link Tracked} instead. */
export interface Collection<T> extends View<T> {
  /** True once everything that was there at the start has arrived; never false again. */
  readonly synced: boolean;
  snapshot(): View<T>;
}

/** A collection as a derivation sees it: every read is remembered, and only what was read wakes it again. */
export interface Tracked<T> {
  get(key: string): T | undefined;
  /** Reads all: any change of the collection re-runs the derivation for this input. */
  values(): Iterable<T>;
}

/** What a settled batch changed. Nobody can see a state between two commits. */
export interface Commit {
  readonly sequence: number;
  /** The names of the collections that changed, or became synced, in creation order. */
  readonly collections: readonly string[];
  readonly newlySynced: ReadonlySet<string>;
  changesOf<T>(collection: Collection<T>): readonly Change<T>[];
}

/** A derivation that threw for one input: its last good output for that input is still served. */
export interface Problem {
  /** Of a collection: also of an input, where values cannot be compared. */
  readonly derivation: string;
  /** A key; empty where the collection as a whole could not be settled. */
  readonly input: string;
  /** What it was given, as it was when it threw. */
  readonly value: unknown;
  readonly cause: Error;
}
