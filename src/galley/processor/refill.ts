import type { Input } from "../../collection/input.ts";

/**
 * The objects of one source in one collection. During a replay (after a start or a reset) the graph keeps the old
 * content, and new objects are buffered. Then the graph receives the difference. So no reader sees an incomplete mesh.
 */
export class Refill<T> {
  readonly #input: Input<T>;
  #aside: Map<string, T> | undefined;
  #awaited = false;

  constructor(input: Input<T>) {
    this.#input = input;
  }

  /** Whether a replay is in progress and not yet complete. */
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

  /** Marks the replay as complete. A repeated call changes nothing. */
  end(): void {
    this.#awaited = false;
  }

  /** Replaces the content by the buffered objects. */
  show(): void {
    if (this.#aside === undefined) return;
    this.#input.replaceAll(this.#aside);
    this.#input.markSynced();
    this.#aside = undefined;
  }

  /** Ends the wait for this source: the content that shows now, possibly nothing, counts as complete. */
  giveUp(): void {
    this.#input.markSynced();
  }
}
