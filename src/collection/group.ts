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

/** The members of one group, in two arrays of one order: that of the source keys. */
interface Members<T> {
  readonly keys: readonly string[];
  readonly values: readonly T[];
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
    this.output = new Cell<readonly T[]>(options.name, sameMembers);
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
    const members = merge(this.#membersOf.get(group) ?? { keys: [], values: [] }, edits);
    if (members.keys.length === 0) {
      this.#membersOf.delete(group);
      this.output.remove(group);
      return;
    }
    this.#membersOf.set(group, { keys: members.keys, values: this.output.write(group, members.values) });
  }
}

function edit<T>(edits: Edits<T>, group: string, input: string, value: T | undefined): void {
  const changed = edits.get(group);
  if (changed === undefined) edits.set(group, new Map([[input, value]]));
  else changed.set(input, value);
}

/** The members after the edits. Between two edits whole runs are copied, so that a large group costs no comparisons. */
function merge<T>(before: Members<T>, edits: ReadonlyMap<string, T | undefined>): Members<T> {
  const keys: string[] = [];
  const values: T[] = [];
  let next = 0;
  for (const [key, value] of [...edits].toSorted(([a], [b]) => compareKeys(a, b))) {
    const position = positionOf(before.keys, key, next);
    append(keys, before.keys, next, position);
    append(values, before.values, next, position);
    next = before.keys[position] === key ? position + 1 : position;
    if (value === undefined) continue;
    keys.push(key);
    values.push(value);
  }
  append(keys, before.keys, next, before.keys.length);
  append(values, before.values, next, before.values.length);
  return { keys, values };
}

function append<T>(target: T[], source: readonly T[], from: number, to: number): void {
  for (const item of source.slice(from, to)) target.push(item);
}

function sameMembers<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((member, index) => member === b[index]);
}
