import type { Input } from "../../collection/input.ts";

/**
 * What one source says of one collection. While the source tells everything anew (at a start, after a reset) the
 * graph keeps what it had, and what is said is put aside; then the graph gets the difference. So nobody sees a mesh
 * that is half there.
 */
export class Refill<T> {
  readonly #input: Input<T>;
  #aside: Map<string, T> | undefined;
  #awaited = false;

  constructor(input: Input<T>) {
    this.#input = input;
  }

  /** The source is telling everything anew and has not said yet that this is all. */
  get awaited(): boolean {
    return this.#awaited;
  }

  begin(): void {
    this.#aside = new Map();
    this.#awaited = true;
  }

  set(key: string, value: T): void {
    (this.#aside ?? this.#input).set(key, value);
  }

  delete(key: string): void {
    (this.#aside ?? this.#input).delete(key);
  }

  /** All has been said. A repeated call changes nothing. */
  end(): void {
    this.#awaited = false;
  }

  /** What was put aside is the content from now on. */
  show(): void {
    if (this.#aside === undefined) return;
    this.#input.replaceAll(this.#aside);
    this.#input.markSynced();
    this.#aside = undefined;
  }

  /** Nobody waits any longer: what shows now, which may be nothing, counts as all there is. */
  giveUp(): void {
    this.#input.markSynced();
  }
}
