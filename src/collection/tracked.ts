import { assert } from "../lib/assert.ts";
import type { Upstream } from "./cell.ts";
import type { Tracked } from "./collection.ts";
import { KeySet } from "./key-set.ts";

/** Records the reads of one run from one collection. After sealing, a read throws, because nothing would record it. */
export class Recorder<T> implements Tracked<T> {
  readonly keys = new KeySet();
  readonly #source: Upstream<T>;
  #all = false;
  #sealed = false;

  constructor(source: Upstream<T>) {
    this.#source = source;
  }

  /** True if the run read all entries. Then `keys` no longer matters. */
  get all(): boolean {
    return this.#all;
  }

  get(key: string): T | undefined {
    assert(!this.#sealed, "a derivation reads only while it runs");
    this.keys.add(key);
    return this.#source.get(key);
  }

  values(): Iterable<T> {
    assert(!this.#sealed, "a derivation reads only while it runs");
    this.#all = true;
    return this.#source.values();
  }

  seal(): void {
    this.#sealed = true;
  }
}

/** Maps each key of one collection to its readers, to find the readers that a change affects. */
export class ReadIndex<T> {
  readonly source: Upstream<T>;
  readonly #readersOfKey = new Map<string, KeySet>();
  readonly #readersOfAll = new Set<string>();
  readonly #keysOfReader = new Map<string, KeySet>();

  constructor(source: Upstream<T>) {
    this.source = source;
  }

  /** Replaces the recorded reads of `reader`. */
  remember(reader: string, { keys, all }: { readonly keys: KeySet; readonly all: boolean }): void {
    if (all || keys.size === 0) {
      this.forget(reader);
      if (all) this.#readersOfAll.add(reader);
      return;
    }
    this.#readersOfAll.delete(reader);
    for (const key of keys) this.#readersOf(key).add(reader);
    for (const key of this.#keysOfReader.get(reader) ?? []) {
      if (!keys.has(key)) this.#drop(key, reader);
    }
    this.#keysOfReader.set(reader, keys);
  }

  forget(reader: string): void {
    this.#readersOfAll.delete(reader);
    for (const key of this.#keysOfReader.get(reader) ?? []) this.#drop(key, reader);
    this.#keysOfReader.delete(reader);
  }

  /** Adds the readers of every entry that the settle in progress changed in the source. */
  wake(woken: Set<string>): void {
    if (this.source.changes.length === 0) return;
    for (const reader of this.#readersOfAll) woken.add(reader);
    for (const { key } of this.source.changes) {
      for (const reader of this.#readersOfKey.get(key) ?? []) woken.add(reader);
    }
  }

  #readersOf(key: string): KeySet {
    let readers = this.#readersOfKey.get(key);
    if (readers === undefined) {
      readers = new KeySet();
      this.#readersOfKey.set(key, readers);
    }
    return readers;
  }

  #drop(key: string, reader: string): void {
    const readers = this.#readersOfKey.get(key);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readersOfKey.delete(key);
  }
}
