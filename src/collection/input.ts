import { assert } from "../lib/assert.ts";
import { deepEqual } from "../lib/equal.ts";
import { Cell, type Equals } from "./cell.ts";
import type { Collection, Problem, View } from "./collection.ts";
import type { GraphNode } from "./graph-node.ts";

export interface InputOptions<T> {
  /** Decides whether a written value equals the present one. The default is structural equality. */
  readonly equals?: Equals<T>;
}

/**
 * The entry point for external data. Writes show when their batch settles, not before. Within a batch every reader,
 * including the writer, still sees the last commit. Callers group related writes into one `Graph.batch`, because a write
 * outside of a batch is a batch of its own. A derivation must not write. The creator removes an input that it no longer
 * needs with `Graph.remove`.
 */
export interface Input<T> extends Collection<T> {
  /** The value must not be undefined, and must not change afterwards. */
  set(key: string, value: T): void;
  /** Deleting a missing key is no error. */
  delete(key: string): void;
  /**
   * Makes `entries` the whole content: differing entries change, and missing entries are removed. Discards earlier
   * writes of the same batch.
   */
  replaceAll(entries: Iterable<readonly [key: string, value: T]>): void;
  /** Callers call it in or after the batch that wrote the last initial entry. It cannot be undone. */
  markSynced(): void;
}

/** One write of a batch. It runs when the batch commits. */
export type Write = () => void;

export class InputNode<T> implements Input<T>, GraphNode {
  readonly kind = "input";
  readonly inputs = [];
  readonly reads = [];
  readonly problems: ReadonlyMap<string, Problem> = new Map();
  readonly output: Cell<T>;
  readonly #enqueue: (write: Write) => void;
  /** The last write per key of the current batch. Undefined deletes the key. */
  #next = new Map<string, T | undefined>();
  #replacing = false;
  #arrived = false;

  constructor(name: string, options: InputOptions<T>, enqueue: (write: Write) => void) {
    this.output = new Cell(name, options.equals ?? deepEqual);
    this.#enqueue = enqueue;
  }

  get name(): string {
    return this.output.name;
  }

  get size(): number {
    return this.output.size;
  }

  get synced(): boolean {
    return this.output.synced;
  }

  get(key: string): T | undefined {
    return this.output.get(key);
  }

  entries(): Iterable<readonly [key: string, value: T]> {
    return this.output.entries();
  }

  values(): Iterable<T> {
    return this.output.values();
  }

  snapshot(): View<T> {
    return this.output.snapshot();
  }

  set(key: string, value: T): void {
    assert(value !== undefined, "a collection holds no undefined values");
    this.#enqueue(() => this.#next.set(key, value));
  }

  delete(key: string): void {
    this.#enqueue(() => this.#next.set(key, undefined));
  }

  replaceAll(entries: Iterable<readonly [key: string, value: T]>): void {
    const content = new Map<string, T | undefined>(entries);
    this.#enqueue(() => {
      this.#next = content;
      this.#replacing = true;
    });
  }

  markSynced(): void {
    this.#enqueue(() => {
      this.#arrived = true;
    });
  }

  /** Writes that a settle did not finish are still queued. Repeating them changes nothing. */
  rebuild(): void {
    this.settle();
  }

  settle(): void {
    if (this.#replacing) {
      for (const [key] of this.output.snapshot().entries()) {
        if (!this.#next.has(key)) this.output.remove(key);
      }
    }
    for (const [key, value] of this.#next) {
      if (value === undefined) this.output.remove(key);
      else this.output.write(key, value);
    }
    if (this.#arrived) this.output.markSynced();
    this.#replacing = false;
    if (this.#next.size > 0) this.#next = new Map();
  }
}
