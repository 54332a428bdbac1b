import fc from "fast-check";
import type { Collection, Tracked } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import type { UnionCollection } from "../../collection/union.ts";
import { assert } from "../../lib/assert.ts";

/** Few keys, so that random graphs collide, clash, read each other and empty out all the time. */
const keys = ["a", "b", "c", "d", "e"] as const;
export const anyKey = fc.constantFrom(...keys);

/** The only type of value in random graphs. `id` is the key of an output, `tags` are its references. */
export interface Item {
  readonly id: string;
  readonly n: number;
  readonly tags: readonly string[];
}

export const anyItem: fc.Arbitrary<Item> = fc.record({
  id: fc.constant("input"),
  n: fc.nat(5),
  tags: fc.uniqueArray(anyKey, { maxLength: 3 }),
});

/** Numbers point at earlier collections, modulo their count: of items, or (`groups`) of groups, if there are any. */
export type GraphStep =
  | {
      readonly type: "derive";
      readonly from: number;
      readonly items: number;
      readonly groups: number;
      readonly fault: number;
    }
  | { readonly type: "summarise"; readonly groups: number; readonly items: number; readonly fault: number }
  | { readonly type: "group"; readonly from: number; readonly fault: number }
  | { readonly type: "union"; readonly parts: readonly number[] };

const anyIndex = fc.nat(20);
/** Functions throw where a sum equals this number. A number above 5 never matches. */
const anyFault = fc.nat(11);

export const anyStep: fc.Arbitrary<GraphStep> = fc.oneof(
  fc.record({ type: fc.constant("derive"), from: anyIndex, items: anyIndex, groups: anyIndex, fault: anyFault }),
  fc.record({ type: fc.constant("summarise"), groups: anyIndex, items: anyIndex, fault: anyFault }),
  fc.record({ type: fc.constant("group"), from: anyIndex, fault: anyFault }),
  fc.record({ type: fc.constant("union"), parts: fc.array(anyIndex, { maxLength: 3 }) }),
);

/** The collections that a derivation of a plan may read. */
export interface PlanReads {
  readonly items: Tracked<Item>;
  readonly groups: Tracked<readonly Item[]>;
}

/** Reads by key, of absent keys, of everything, and only sometimes. Throws before or after its first output. */
export function* derivedItems(item: Item, reads: PlanReads, key: string, fault: number): Generator<Item> {
  let sum = item.n;
  for (const tag of item.tags) sum += reads.items.get(tag)?.n ?? 7;
  if (item.n % 2 === 1) sum += reads.groups.get(key)?.length ?? 0;
  if (item.n === 4) for (const other of reads.items.values()) sum += other.n;
  if (fault % 2 === 0 && sum % 6 === fault) throw new Error(`derive ${fault}`);
  for (const tag of item.tags) yield { id: tag, n: sum % 4, tags: [key] };
  if (sum % 6 === fault) throw new Error(`derive ${fault}`);
  if (sum % 3 === 0) yield { id: key, n: sum % 5, tags: item.tags };
}

/** Depends on the order of the members, which a group guarantees. */
export function* summary(members: readonly Item[], items: Tracked<Item>, key: string, fault: number): Generator<Item> {
  const digest = members.reduce((sum, { n }) => sum * 3 + n, 1) + (items.get(key)?.n ?? 0);
  if (digest % 6 === fault) throw new Error(`summarise ${fault}`);
  yield { id: key, n: digest % 6, tags: members.flatMap(({ tags }) => tags).slice(0, 2) };
}

export function groupsOf(item: Item, fault: number): readonly string[] {
  if (item.n === fault) throw new Error(`group ${fault}`);
  return item.tags;
}

/** The plan as a graph. */
export interface Installed {
  readonly inputs: readonly Input<Item>[];
  readonly items: readonly Collection<Item>[];
  readonly groups: readonly Collection<readonly Item[]>[];
  readonly unions: readonly UnionCollection<Item>[];
}

/** Collections have the names `input0`, `input1`, then `step0`, `step1`, …. An empty `group0` comes first. */
export function install(graph: Graph, inputs: readonly Input<Item>[], steps: readonly GraphStep[]): Installed {
  const items: Collection<Item>[] = [...inputs];
  const groups: Collection<readonly Item[]>[] = [graph.input<readonly Item[]>("group0")];
  const unions: UnionCollection<Item>[] = [];
  const key = ({ id }: Item) => id;
  for (const [index, step] of steps.entries()) {
    const name = `step${index}`;
    switch (step.type) {
      case "derive": {
        const reads = { items: pick(items, step.items), groups: pick(groups, step.groups) };
        const to = (item: Item, tracked: PlanReads, id: string) => derivedItems(item, tracked, id, step.fault);
        items.push(graph.derive({ name, from: pick(items, step.from), reads, key, to }));
        break;
      }
      case "summarise": {
        const reads = { items: pick(items, step.items) };
        const to = (members: readonly Item[], tracked: { readonly items: Tracked<Item> }, id: string) =>
          summary(members, tracked.items, id, step.fault);
        items.push(graph.derive({ name, from: pick(groups, step.groups), reads, key, to }));
        break;
      }
      case "group":
        groups.push(graph.group({ name, from: pick(items, step.from), keys: (item) => groupsOf(item, step.fault) }));
        break;
      case "union": {
        const union = graph.union({ name, parts: partsOf(step.parts, items) });
        unions.push(union);
        items.push(union);
        break;
      }
    }
  }
  return { inputs, items, groups, unions };
}

export function pick<T>(list: readonly T[], index: number): T {
  const picked = list[index % list.length];
  assert(picked !== undefined, "there is something to pick from");
  return picked;
}

/** The parts of a union, each once. */
export function partsOf<T>(indexes: readonly number[], items: readonly T[]): readonly T[] {
  return [...new Set(indexes.map((index) => pick(items, index)))];
}
