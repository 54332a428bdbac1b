import { Cell, type Upstream } from "./cell.ts";
import type { Collection, Problem } from "./collection.ts";
import type { Node } from "./node.ts";
import { Problems } from "./problems.ts";
import { compareKeys, positionOf } from "./sorted-keys.ts";

export interface GroupOptions<T> {
  readonly name: string;
  readonly from: Collection<T>;
  /**
   * The groups a value belongs to. Pure, of its arguments only. If it throws, the input stays in its groups as it
   * last was, and the graph lists a problem until it succeeds or the input goes.
   */
  keys(value: T, key: string): Iterable<string>;
}

/** By group key and source key, who comes (or changes), and who goes (undefined). */
type Edits<T> = Map<string, Map<string, T | undefined>>;

/** An index as a collection: each group's values sorted by their source keys. A group without members is absent. */
export class GroupNode<T> implements Node {
  readonly kind = "group";
  readonly output: Cell<readonly T[]>;
  readonly inputs: readonly Upstream<unknown>[];
  readonly reads = [];
  readonly #options: GroupOptions<T>;
  readonly #from: Upstream<T>;
  readonly #groupsOf = new Map<string, ReadonlySet<string>>();
  readonly #membersOf = new Map<string, Members<T>>();
  readonly #problems: Problems;

  constructor(options: GroupOptions<T>, from: Upstream<T>) {
    this.output = new Cell<readonly T[]>(options.name, Object.is);
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

  #update(inputs: readonly string[]): void {
    const edits: Edits<T> = new Map();
    for (const input of inputs) this.#place(input, edits);
    for (const [group, changed] of edits) this.#publish(group, changed);
    if (this.#from.synced) this.output.markSynced();
  }

  #place(input: string, edits: Edits<T>): void {
    const value = this.#from.get(input);
    const groups = this.#groupsFor(input, value);
    if (groups === undefined) return;
    for (const group of this.#groupsOf.get(input) ?? []) edit(edits, group, input, undefined);
    for (const group of groups) edit(edits, group, input, value);
    if (groups.size > 0) this.#groupsOf.set(input, groups);
    else this.#groupsOf.delete(input);
  }

  /** Undefined if the function threw. */
  #groupsFor(input: string, value: T | undefined): ReadonlySet<string> | undefined {
    if (value !== undefined) return this.#problems.attempt(input, () => new Set(this.#options.keys(value, input)));
    this.#problems.clear(input);
    return new Set();
  }

  #publish(group: string, edits: ReadonlyMap<string, T | undefined>): void {
    const members = this.#membersOf.get(group) ?? new Members<T>();
    if (!members.apply(edits)) return;
    if (members.values.length === 0) {
      this.#membersOf.delete(group);
      this.output.remove(group);
      return;
    }
    this.#membersOf.set(group, members);
    this.output.write(group, members.values);
  }
}

function edit<T>(edits: Edits<T>, group: string, input: string, value: T | undefined): void {
  const changed = edits.get(group);
  if (changed === undefined) edits.set(group, new Map([[input, value]]));
  else changed.set(input, value);
}

/** One group, in two arrays of one order: that of the source keys. */
class Members<T> {
  readonly #keys: string[] = [];
  #values: readonly T[] = [];

  /** A new array whenever a member has come, changed or gone. */
  get values(): readonly T[] {
    return this.#values;
  }

  /** Tells whether anything changed. Sorted edits make filling an empty group a run of appends. */
  apply(edits: ReadonlyMap<string, T | undefined>): boolean {
    const values = this.#values.slice();
    let changed = false;
    for (const [key, value] of [...edits].toSorted(([a], [b]) => compareKeys(a, b))) {
      const position = positionOf(this.#keys, key);
      const replaced = this.#keys[position] === key ? 1 : 0;
      if (replaced === 1 && values[position] === value) continue;
      changed = true;
      if (value === undefined) {
        this.#keys.splice(position, replaced);
        values.splice(position, replaced);
      } else {
        this.#keys.splice(position, replaced, key);
        values.splice(position, replaced, value);
      }
    }
    if (changed) this.#values = values;
    return changed;
  }
}
