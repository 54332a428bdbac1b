import type { View } from "./collection.ts";

/** Sized for a mesh: at 50 000 entries, a write after a snapshot copies about 50 of them. */
const shardCount = 1024;

type Shard<T> = Map<string, T>;
const empty: Shard<never> = new Map<string, never>();
const allEmpty: readonly Shard<never>[] = Array.from({ length: shardCount }, () => empty);

/**
 * A map whose snapshots have a constant cost. A hash of the key spreads the entries over a fixed number of shards. A
 * snapshot shares all shards. The first write to a shard after a snapshot copies only that shard.
 */
export class CowMap<T> {
  #shards: Shard<T>[] = allEmpty.slice();
  /** 1 if no snapshot shares the shard, so that a write may change it in place. */
  readonly #owned = new Uint8Array(shardCount);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): T | undefined {
    return this.#shards[shardOf(key)]?.get(key);
  }

  set(key: string, value: T): void {
    const shard = this.#writable(shardOf(key));
    const before = shard.size;
    shard.set(key, value);
    this.#size += shard.size - before;
  }

  delete(key: string): void {
    if (this.#writable(shardOf(key)).delete(key)) this.#size--;
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

  #writable(index: number): Shard<T> {
    const current = this.#shards[index] ?? empty;
    if (this.#owned[index] === 1) return current;
    const copy = new Map(current);
    this.#shards[index] = copy;
    this.#owned[index] = 1;
    return copy;
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
    return this.shards[shardOf(key)]?.get(key);
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

/** FNV-1a over the key's code units, folded. It is cheap, and it spreads keys that differ only at the end. */
function shardOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 16)) & (shardCount - 1);
}
