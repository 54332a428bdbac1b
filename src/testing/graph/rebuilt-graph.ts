import type { Tracked } from "../../collection/collection.ts";
import { derivedItems, type GraphStep, groupsOf, type Item, partsOf, pick, summary } from "./graph-plan.ts";

type Contents<T> = ReadonlyMap<string, T>;

interface Node<T> {
  readonly name: string;
  readonly contents: Contents<T>;
  readonly synced: boolean;
}

export interface GraphState {
  /** Inputs and steps by name. */
  readonly contents: ReadonlyMap<string, Contents<unknown>>;
  readonly synced: ReadonlySet<string>;
  /** `derivation/input`, sorted. */
  readonly problems: readonly string[];
  readonly clashes: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

/**
 * The promises of the graph in the plainest form: computes everything anew each time, in the order of the plan. It only
 * remembers the last result of each function per input, and the synced collections. Both are part of the promise.
 */
export class RebuiltGraph {
  #steps: readonly GraphStep[];
  #synced: ReadonlySet<string> = new Set();
  readonly #lastGood = new Map<string, unknown>();
  #problems: string[] = [];

  constructor(steps: readonly GraphStep[]) {
    this.#steps = steps;
  }

  /** Replaces the parts of a union. */
  replaceParts(step: number, parts: readonly number[]): void {
    this.#steps = this.#steps.with(step, { type: "union", parts });
  }

  rebuild(inputs: readonly Node<Item>[]): GraphState {
    this.#problems = [];
    const items = [...inputs];
    const groups: Node<readonly Item[]>[] = [{ name: "group0", contents: new Map(), synced: false }];
    const clashes = new Map<string, ReadonlyMap<string, readonly string[]>>();
    for (const [index, step] of this.#steps.entries()) {
      const name = `step${index}`;
      if (step.type === "group") {
        groups.push(this.#group(name, pick(items, step.from), step.fault));
      } else if (step.type === "union") {
        const parts = partsOf(step.parts, items);
        clashes.set(name, clashesOf(parts));
        items.push(union(name, parts, this.#synced.has(name)));
      } else if (step.type === "derive") {
        const reads = { items: pick(items, step.items), groups: pick(groups, step.groups) };
        const tracked = { items: plain(reads.items.contents), groups: plain(reads.groups.contents) };
        const run = (item: Item, key: string) => derivedItems(item, tracked, key, step.fault);
        items.push(this.#derive(name, pick(items, step.from), [reads.items, reads.groups], run));
      } else {
        const read = pick(items, step.items);
        const run = (members: readonly Item[], key: string) => summary(members, plain(read.contents), key, step.fault);
        items.push(this.#derive(name, pick(groups, step.groups), [read], run));
      }
    }
    const nodes = [...items, ...groups];
    this.#synced = new Set(nodes.filter(({ synced }) => synced).map(({ name }) => name));
    return {
      contents: new Map(nodes.map(({ name, contents }) => [name, contents])),
      synced: this.#synced,
      problems: this.#problems.toSorted(),
      clashes,
    };
  }

  #derive<In>(
    name: string,
    from: Node<In>,
    reads: readonly Node<unknown>[],
    run: (value: In, key: string) => Iterable<Item>,
  ): Node<Item> {
    const contents = new Map<string, Item>();
    for (const outputs of this.#runAll(name, from.contents, (value, key) => [...run(value, key)])) {
      for (const output of outputs) if (!contents.has(output.id)) contents.set(output.id, output);
    }
    return { name, contents, synced: [from, ...reads].every(({ synced }) => synced) };
  }

  #group(name: string, from: Node<Item>, fault: number): Node<readonly Item[]> {
    const contents = new Map<string, Item[]>();
    const placed = this.#runAll(name, from.contents, (value) => ({ value, groups: groupsOf(value, fault) }));
    for (const { value, groups } of placed) {
      for (const group of new Set(groups)) contents.set(group, [...(contents.get(group) ?? []), value]);
    }
    return { name, contents, synced: from.synced };
  }

  /** By input key, smallest first: the current result of the function, or its last result before it began to throw. */
  #runAll<In, R>(name: string, inputs: Contents<In>, run: (value: In, key: string) => R): Iterable<R> {
    const results = new Map<string, R>();
    const known = (this.#lastGood.get(name) ?? new Map<string, R>()) as ReadonlyMap<string, R>;
    for (const key of [...inputs.keys()].toSorted()) {
      const value = inputs.get(key) as In;
      try {
        results.set(key, run(value, key));
      } catch {
        this.#problems.push(`${name}/${key}`);
        const last = known.get(key);
        if (last !== undefined) results.set(key, last);
      }
    }
    this.#lastGood.set(name, results);
    return results.values();
  }
}

function plain<T>(contents: Contents<T>): Tracked<T> {
  return contents;
}

function union(name: string, parts: readonly Node<Item>[], wasSynced: boolean): Node<Item> {
  const contents = new Map<string, Item>(parts.toReversed().flatMap((part) => [...part.contents]));
  return { name, contents, synced: wasSynced || parts.every(({ synced }) => synced) };
}

function clashesOf(parts: readonly Node<Item>[]): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, string[]>();
  for (const { name, contents } of parts) {
    for (const key of contents.keys()) holders.set(key, [...(holders.get(key) ?? []), name]);
  }
  return new Map([...holders].filter(([, names]) => names.length > 1));
}
