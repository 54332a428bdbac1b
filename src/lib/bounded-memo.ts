/**
 * Remembers values for the most recently used keys only. Use it when others choose the keys, because their number has
 * no bound.
 */
export class BoundedMemo<V> {
  readonly #limit: number;
  /** In order of use, the least recently used first. */
  readonly #values = new Map<string, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, build: () => V): V {
    const value = this.#values.get(key) ?? build();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#limit) for (const oldest of this.#values.keys().take(1)) this.#values.delete(oldest);
    return value;
  }
}
