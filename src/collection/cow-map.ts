import type { View } from "./collection.ts";

/** Sized for a mesh: at 50 000 entries, a write after a snapshot copies about 50 of them. */
const mostShards = 1024;
/** A map with more entries per shard than this gets more shards, up to the most. */
const crowded = 32;
/** By how much the number of shards grows. A power of two, like the number itself. */
const growth = 4;

type Shard<T> = Map<string, T>;
const empty: Shard<never> = new Map<string, never>();

/**
 * A map whose snapshots have a constant cost. A hash of the key spreads the entries over shards. A snapshot shares all
 * shards. The first write to a shard after a snapshot copies only that shard. Small maps have few shards, because a
 * shard of one entry takes five times the memory of an entry.
 */
export class CowMap<T> {
  #shards: Shard<T>[] = [empty];
  /** 1 if no snapshot shares the shard, so that a write may change it in place. */
  #owned = new Uint8Array(1);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): T | undefined {
    return shardOf(this.#shards, key)?.get(key);
  }

  set(key: string, value: T): void {
    const shard = this.#writable(key);
    const before = shard.size;
    shard.set(key, value);
    this.#size += shard.size - before;
    if (this.#size > this.#shards.length * crowded && this.#shards.length < mostShards) this.#spread();
  }

  delete(key: string): void {
    if (this.#writable(key).delete(key)) this.#size--;
  }

  entries(): Iterable<readonly [key: string, value: T]> {
    return entriesOf(this.#shards);
  }

  values(): Iterable<T> {
    return valuesOf(this.#shards);
  }

  /** Takes an immutable snapshot. The cost depends on the number of shards, not on the size. */
  freeze(name: string): ShardedView<T> {
    const frozen = this.#shards;
    this.#shards = frozen.slice();
    this.#owned.fill(0);
    return new ShardedView(name, this.#size, frozen);
  }

  #writable(key: string): Shard<T> {
    const index = indexOf(key, this.#shards.length);
    const current = this.#shards[index] ?? empty;
    if (this.#owned[index] === 1) return current;
    const copy = new Map(current);
    this.#shards[index] = copy;
    this.#owned[index] = 1;
    return copy;
  }

  /** Moves all entries to more shards. Earlier snapshots keep theirs. */
  #spread(): void {
    const before = this.#shards;
    const count = before.length * growth;
    this.#shards = Array.from({ length: count }, () => empty);
    this.#owned = new Uint8Array(count);
    for (const [key, value] of entriesOf(before)) this.#writable(key).set(key, value);
  }
}

/** The result of {@link CowMap.freeze}. Two views share the shards that were not written between them. */
export class ShardedView<T> implements View<T> {
  readonly name: string;
  readonly size: number;
  readonly shards: readonly ReadonlyMap<string, T>[];

  constructor(name: string, size: number, shards: readonly ReadonlyMap<string, T>[]) {
    this.name = name;
    this.size = size;
    this.shards = shards;
  }

  get(key: string): T | undefined {
    return shardOf(this.shards, key)?.get(key);
  }

  entries(): Iterable<readonly [key: string, value: T]> {
    return entriesOf(this.shards);
  }

  values(): Iterable<T> {
    return valuesOf(this.shards);
  }
}

/** Skips empty shards. Most shards are empty, and an iterator for each would cost more than the entries. */
function* entriesOf<T>(shards: readonly ReadonlyMap<string, T>[]): Generator<readonly [key: string, value: T]> {
  for (const shard of shards) {
    if (shard.size > 0) yield* shard;
  }
}

function* valuesOf<T>(shards: readonly ReadonlyMap<string, T>[]): Generator<T> {
  for (const shard of shards) {
    if (shard.size > 0) yield* shard.values();
  }
}

function shardOf<T>(shards: readonly ReadonlyMap<string, T>[], key: string): ReadonlyMap<string, T> | undefined {
  return shards.length === 1 ? shards[0] : shards[indexOf(key, shards.length)];
}

/** FNV-1a over the key's code units, folded. It is cheap, and it spreads keys that differ only at the end. */
function indexOf(key: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 16)) & (shards - 1);
}
