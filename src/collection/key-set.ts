/**
 * A set of keys that is usually empty or has one key. It then takes a fifth of the memory of a Set, and a graph has several
 * for each object of a mesh.
 */
export class KeySet implements Iterable<string> {
  /** The only key, or all of them. */
  #keys: string | Set<string> | undefined;

  static of(keys: Iterable<string>): KeySet {
    const set = new KeySet();
    for (const key of keys) set.add(key);
    return set;
  }

  get size(): number {
    if (this.#keys === undefined) return 0;
    return typeof this.#keys === "string" ? 1 : this.#keys.size;
  }

  has(key: string): boolean {
    return typeof this.#keys === "object" ? this.#keys.has(key) : this.#keys === key;
  }

  add(key: string): void {
    if (typeof this.#keys === "object") this.#keys.add(key);
    else if (this.#keys === undefined) this.#keys = key;
    else if (this.#keys !== key) this.#keys = new Set([this.#keys, key]);
  }

  delete(key: string): void {
    if (typeof this.#keys === "object") this.#keys.delete(key);
    else if (this.#keys === key) this.#keys = undefined;
  }

  /** In the order of their arrival. */
  [Symbol.iterator](): Iterator<string> {
    if (this.#keys === undefined) return none[Symbol.iterator]();
    return typeof this.#keys === "string" ? [this.#keys][Symbol.iterator]() : this.#keys[Symbol.iterator]();
  }
}

const none: readonly string[] = [];
