import { deepEqual } from "../lib/equal.ts";
import { Cell, type Equals, type Upstream } from "./cell.ts";
import type { Collection, Problem, View } from "./collection.ts";
import type { Input, Write } from "./input.ts";
import type { GraphNode } from "./graph-node.ts";

export interface UnionOptions<T> {
  /** Unique in the graph. */
  readonly name: string;
  /** Collections of the same graph, in order of precedence: the first part that has a key wins it. */
  readonly parts: readonly Collection<T>[];
  /** Decides whether a part that takes over a key has an equal value. The default is structural equality. */
  readonly equals?: Equals<T>;
}

/** Several collections as one. Synced once all parts are synced, or were synced before. */
export interface UnionCollection<T> extends Collection<T> {
  /**
   * Replaces the parts with these inputs, in order of precedence. The result shows when the batch settles, as a
   * difference. If a key moves from one part to another, that is one change. The caller removes the parts that it no
   * longer needs with `Graph.remove`, in the same batch or later.
   */
  replaceParts(parts: readonly Input<T>[]): void;
  /** The keys that several parts have, each with the names of those parts, winner first. Live, not a snapshot. */
  clashes(): ReadonlyMap<string, readonly string[]>;
}

/** The functions of the graph that a union calls. */
interface Context<T> {
  readonly upstream: (collection: Collection<T>) => Upstream<T>;
  readonly enqueue: (write: Write) => void;
}

export class UnionNode<T> implements UnionCollection<T>, GraphNode {
  readonly kind = "union";
  readonly reads = [];
  readonly problems: ReadonlyMap<string, Problem> = new Map();
  readonly output: Cell<T>;
  readonly #context: Context<T>;
  readonly #clashes = new Map<string, readonly string[]>();
  #parts: readonly Upstream<T>[];
  /** Parts that moved, joined or left in the current batch. */
  #moved: readonly Upstream<T>[] = [];

  constructor(options: UnionOptions<T>, context: Context<T>) {
    this.output = new Cell(options.name, options.equals ?? deepEqual);
    this.#context = context;
    this.#parts = options.parts.map(context.upstream);
    this.#update(keysOf(this.#parts));
  }

  get inputs(): readonly Upstream<T>[] {
    return this.#parts;
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

  replaceParts(parts: readonly Input<T>[]): void {
    const next = parts.map((part) => this.#context.upstream(part));
    this.#context.enqueue(() => {
      this.#moved = [...this.#moved, ...this.#parts, ...next];
      this.#parts = next;
    });
  }

  settle(): void {
    const keys = keysOf(this.#moved);
    for (const part of [...this.#parts, ...this.#moved]) for (const { key } of part.changes) keys.add(key);
    this.#moved = [];
    this.#update(keys);
  }

  rebuild(): void {
    this.#moved = [];
    this.#update(keysOf([...this.#parts, this.output]).union(new Set(this.#clashes.keys())));
  }

  #update(keys: ReadonlySet<string>): void {
    for (const key of keys) this.#resolve(key);
    if (this.#parts.every((part) => part.synced)) this.output.markSynced();
  }

  #resolve(key: string): void {
    const owner = this.#parts.find((part) => part.get(key) !== undefined);
    const value = owner?.get(key);
    if (value === undefined) this.output.remove(key);
    else this.output.write(key, value);
    if (this.#parts.length < 2 && !this.#clashes.has(key)) return;
    const holders = this.#parts.filter((part) => part.get(key) !== undefined).map(({ name }) => name);
    if (holders.length > 1) this.#clashes.set(key, holders);
    else this.#clashes.delete(key);
  }
}

function keysOf(parts: readonly Collection<unknown>[]): Set<string> {
  const keys = new Set<string>();
  for (const part of parts) for (const [key] of part.entries()) keys.add(key);
  return keys;
}
