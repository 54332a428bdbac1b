/** Remembers what was built for the most recent keys: for keys that others choose, of which there may be any number. */
export class BoundedMemo<V> {
  readonly #limit: number;
  /** In the order of use, the longest unused first. */
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
