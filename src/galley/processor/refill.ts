import type { Input } from "../../collection/input.ts";

/**
 * What one source says of one collection. While the source tells everything anew (at a start, after a reset) the
 * graph keeps what it had; at the end it gets the difference. So nobody sees a mesh that is half there.
 */
export class Refill<T> {
  readonly #input: Input<T>;
  #side: Map<string, T> | undefined;

  constructor(input: Input<T>) {
    this.#input = input;
  }

  get running(): boolean {
    return this.#side !== undefined;
  }

  begin(): void {
    this.#side = new Map();
  }

  set(key: string, value: T): void {
    (this.#side ?? this.#input).set(key, value);
  }

  delete(key: string): void {
    (this.#side ?? this.#input).delete(key);
  }

  /** All has been said. A repeated call changes nothing. */
  end(): void {
    if (this.#side === undefined) return;
    this.#input.replaceAll(this.#side);
    this.#input.markSynced();
    this.#side = undefined;
  }
}
