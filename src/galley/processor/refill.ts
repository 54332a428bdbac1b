import type { Input } from "../../collection/input.ts";

/**
 * What one source says of one collection. While the source tells everything anew (at a start, after a reset) the
 * graph keeps what it had, and what is said is put aside; then the graph gets the difference. So nobody sees a mesh
 * that is half there.
 */
export class Refill<T> {
  readonly #input: Input<T>;
  #aside: Map<string, T> | undefined;
  #complete = false;
  #awaited = true;

  constructor(input: Input<T>) {
    this.#input = input;
  }

  /** The source is telling everything anew, or has done so, and it does not show yet. */
  get running(): boolean {
    return this.#aside !== undefined;
  }

  /** All has been said. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Nothing ever showed, and nobody was told to go on without it. */
  get awaited(): boolean {
    return this.#awaited;
  }

  begin(): void {
    this.#aside = new Map();
    this.#complete = false;
  }

  set(key: string, value: T): void {
    (this.#aside ?? this.#input).set(key, value);
  }

  delete(key: string): void {
    (this.#aside ?? this.#input).delete(key);
  }

  /** A source that has nothing to tell anew may say so all the same. */
  end(): void {
    this.#complete = this.running;
  }

  /** What was put aside is the content from now on. */
  show(): void {
    if (this.#aside === undefined) return;
    this.#input.replaceAll(this.#aside);
    this.#aside = undefined;
    this.#complete = false;
    this.giveUp();
  }

  /** Nobody waits any longer: what showed so far, which may be nothing, counts as all there is. */
  giveUp(): void {
    this.#input.markSynced();
    this.#awaited = false;
  }
}
