import { deepEqual } from "../lib/equal.ts";
import { Cell, type Equals, type Upstream } from "./cell.ts";
import type { Collection, Problem, View } from "./collection.ts";
import type { Node } from "./node.ts";

export interface UnionOptions<T> {
  readonly name: string;
  /** In order of precedence: the first part that has a key wins it. */
  readonly parts: readonly Collection<T>[];
  /** When a part that takes over a key counts as saying the same; structural equality unless given. */
  readonly equals?: Equals<T>;
}

/** Several collections as one; synced when all of them are. */
export interface UnionCollection<T> extends Collection<T> {
  /** The keys that several parts have, each with the names of those parts, winner first. Live, not a snapshot. */
  clashes(): ReadonlyMap<string, readonly string[]>;
}

export class UnionNode<T> implements UnionCollection<T>, Node {
  readonly kind = "union";
  readonly reads = [];
  readonly problems: ReadonlyMap<string, Problem> = new Map();
  readonly output: Cell<T>;
  readonly inputs: readonly Upstream<T>[];
  readonly #clashes = new Map<string, readonly string[]>();

  constructor(options: UnionOptions<T>, parts: readonly Upstream<T>[]) {
    this.output = new Cell(options.name, options.equals ?? deepEqual);
    this.inputs = parts;
    this.#update(new Set(parts.flatMap((part) => Array.from(part.entries(), ([key]) => key))));
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

  clashes(): ReadonlyMap<string, readonly string[]> {
    return this.#clashes;
  }

  settle(): void {
    this.#update(new Set(this.inputs.flatMap((part) => part.changes.map(({ key }) => key))));
  }

  #update(keys: ReadonlySet<string>): void {
    for (const key of keys) this.#resolve(key);
    if (this.inputs.every((part) => part.synced)) this.output.markSynced();
  }

  #resolve(key: string): void {
    const holders = this.inputs.filter((part) => part.get(key) !== undefined);
    if (holders.length > 1)
      this.#clashes.set(
        key,
        holders.map(({ name }) => name),
      );
    else this.#clashes.delete(key);
    const value = holders[0]?.get(key);
    if (value === undefined) this.output.remove(key);
    else this.output.write(key, value);
  }
}
