import { assert } from "../lib/assert.ts";
import { deepEqual } from "../lib/equal.ts";
import { Cell, type Equals } from "./cell.ts";
import type { Collection, Problem, View } from "./collection.ts";
import type { Node } from "./node.ts";

export interface InputOptions<T> {
  /** When a written value counts as the one already there; structural equality unless given. */
  readonly equals?: Equals<T>;
}

/**
 * Where the world enters the graph. Writes show when their batch settles, not before: within a batch everybody,
 * the writer too, still reads the state of the last commit.
 */
export interface Input<T> extends Collection<T> {
  set(key: string, value: T): void;
  delete(key: string): void;
  /** Makes `entries` the whole content: what differs is a change, what is missing is removed. */
  replaceAll(entries: Iterable<readonly [key: string, value: T]>): void;
  markSynced(): void;
}

/** One write of a batch, done when the batch commits. */
export type Write = () => void;

export class InputNode<T> implements Input<T>, Node {
  readonly kind = "input";
  readonly inputs = [];
  readonly reads = [];
  readonly problems: ReadonlyMap<string, Problem> = new Map();
  readonly output: Cell<T>;
  readonly #enqueue: (write: Write) => void;
  /** The last write per key of the batch being committed; undefined means delete. */
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

  /** Writes that a settle could not finish are still there: doing them again changes nothing. */
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
