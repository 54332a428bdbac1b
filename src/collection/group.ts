import { compareTexts } from "../lib/compare.ts";
import { deepEqual } from "../lib/equal.ts";
import { Cell, type Twin, type Upstream } from "./cell.ts";
import type { Collection, Problem } from "./collection.ts";
import type { GraphNode } from "./graph-node.ts";
import { KeySet } from "./key-set.ts";
import { positionOf } from "./position-of.ts";
import { Problems } from "./problems.ts";

export interface GroupOptions<T> {
  /** Unique in the graph. */
  readonly name: string;
  /** A collection of the same graph. */
  readonly from: Collection<T>;
  /**
   * The groups of a value. Callers give a pure function that depends only on its arguments and writes to no input. If it
   * throws, the input stays unchanged in its groups. The graph then lists a problem until the function succeeds or the
   * input goes.
   */
  keys(value: T, key: string): Iterable<string>;
}

/** By group key and source key: the new value of a member, or undefined if the member leaves. */
type Edits<T> = Map<string, Map<string, T | undefined>>;

interface Placed<T> {
  readonly value: T;
  readonly groups: KeySet;
}

/** An index as a collection: each group's values sorted by their source keys. A group without members is absent. */
export class GroupNode<T> implements GraphNode {
  readonly kind = "group";
  readonly output: Cell<readonly T[]>;
  readonly inputs: readonly Upstream<unknown>[];
  readonly reads = [];
  readonly #options: GroupOptions<T>;
  readonly #from: Upstream<T>;
  /** By source key: the groups of a value, from the last successful run. */
  readonly #placed = new Map<string, Placed<T>>();
  /** The source keys of each group's members, in the order of its values. */
  readonly #keysOf = new Map<string, string[]>();
  readonly #problems: Problems;

  constructor(options: GroupOptions<T>, from: Upstream<T>, twin?: Twin<readonly T[]>) {
    this.output = new Cell<readonly T[]>(options.name, deepEqual, twin);
    this.inputs = [from];
    this.#options = options;
    this.#from = from;
    this.#problems = new Problems(options.name);
    this.#update(Array.from(from.entries(), ([key]) => key));
  }

  get problems(): ReadonlyMap<string, Problem> {
    return this.#problems.byInput;
  }

  settle(): void {
    this.#update(this.#from.changes.map(({ key }) => key));
  }

  /** Here too, an input whose function throws stays in its last groups. */
  rebuild(): void {
    const lastGood = new Map(this.#placed);
    const edits: Edits<T> = new Map(Array.from(this.output.entries(), ([group]) => [group, new Map()]));
    this.#placed.clear();
    this.#keysOf.clear();
    for (const input of this.#problems.byInput.keys()) this.#problems.clear(input);
    for (const [input, value] of this.#from.entries()) {
      const groups = this.#groupsFor(input, value);
      const placed = groups === undefined ? lastGood.get(input) : { value, groups };
      if (placed === undefined) continue;
      for (const group of placed.groups) edit(edits, group, input, placed.value);
      if (placed.groups.size > 0) this.#placed.set(input, placed);
    }
    for (const [group, members] of edits) this.#publish(group, members, []);
    if (this.#from.synced) this.output.markSynced();
  }

  #update(inputs: readonly string[]): void {
    const edits: Edits<T> = new Map();
    for (const input of inputs) this.#place(input, edits);
    for (const [group, changed] of edits) this.#publish(group, changed, this.output.get(group) ?? []);
    if (this.#from.synced) this.output.markSynced();
  }

  #place(input: string, edits: Edits<T>): void {
    const value = this.#from.get(input);
    const groups = this.#groupsFor(input, value);
    if (groups === undefined) return;
    for (const group of this.#placed.get(input)?.groups ?? []) edit(edits, group, input, undefined);
    for (const group of groups) edit(edits, group, input, value);
    if (value !== undefined && groups.size > 0) this.#placed.set(input, { value, groups });
    else this.#placed.delete(input);
  }

  /** Undefined if the function threw. */
  #groupsFor(input: string, value: T | undefined): KeySet | undefined {
    if (value !== undefined) {
      return this.#problems.attempt(input, value, () => KeySet.of(this.#options.keys(value, input)));
    }
    this.#problems.clear(input);
    return KeySet.of([]);
  }

  #publish(group: string, edits: ReadonlyMap<string, T | undefined>, members: readonly T[]): void {
    const keys = this.#keysOf.get(group) ?? [];
    const values = members.slice();
    // Sorted, so that filling an empty group is a run of appends.
    for (const [key, value] of [...edits].toSorted(([a], [b]) => compareTexts(a, b))) {
      const position = positionOf(keys, key);
      const replaced = keys[position] === key ? 1 : 0;
      keys.splice(position, replaced);
      values.splice(position, replaced);
      if (value === undefined) continue;
      keys.splice(position, 0, key);
      values.splice(position, 0, value);
    }
    if (keys.length === 0) {
      this.#keysOf.delete(group);
      this.output.remove(group);
    } else {
      this.#keysOf.set(group, keys);
      this.output.write(group, values);
    }
  }
}

function edit<T>(edits: Edits<T>, group: string, input: string, value: T | undefined): void {
  const changed = edits.get(group);
  if (changed === undefined) edits.set(group, new Map([[input, value]]));
  else changed.set(input, value);
}
