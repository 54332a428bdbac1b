import { stringify } from "yaml";
import type { Random } from "./random.ts";

/** Any value that a YAML parser returns. */
export type JsonTree = string | number | boolean | null | JsonTree[] | { [key: string]: JsonTree };

/** Swaps, moves, doubles, nests or drops subtrees. The result is valid YAML, mostly in the form of JSON. */
export function mutateTree(original: JsonTree, random: Random): string {
  const tree = structuredClone(original);
  for (let count = 1 + random.below(3); count > 0; count -= 1) change(tree, random);
  return random.once(8) ? stringify(tree) : JSON.stringify(tree);
}

/** A place in a tree: its container and its key. */
interface Spot {
  readonly holder: JsonTree[] | { [key: string]: JsonTree };
  readonly key: string;
}

function change(tree: JsonTree, random: Random): void {
  const spots = [...spotsOf(tree)];
  if (spots.length === 0) return;
  const spot = random.pick(spots);
  const other = random.pick(spots);
  switch (random.below(7)) {
    case 0:
      return remove(spot);
    case 1:
      return write(spot, structuredClone(random.pick(oddValues)));
    case 2:
      return write(spot, structuredClone(read(other)));
    case 3:
      return write(spot, [read(spot)]);
    case 4:
      return write(spot, buried(read(spot), 1 + random.below(60)));
    case 5:
      return write(
        spot,
        Array.from({ length: random.below(12) }, () => structuredClone(read(spot))),
      );
    default:
      return rename(spot, random.once(2) ? other.key : random.pick(oddKeys));
  }
}

function* spotsOf(tree: JsonTree): Generator<Spot> {
  if (typeof tree !== "object" || tree === null) return;
  for (const [key, value] of Object.entries(tree)) {
    yield { holder: tree, key };
    yield* spotsOf(value);
  }
}

function read({ holder, key }: Spot): JsonTree {
  return Array.isArray(holder) ? (holder[Number(key)] ?? null) : (holder[key] ?? null);
}

function write({ holder, key }: Spot, value: JsonTree): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function remove({ holder, key }: Spot): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}

function rename(spot: Spot, key: string): void {
  const value = read(spot);
  remove(spot);
  write({ holder: spot.holder, key: Array.isArray(spot.holder) ? "0" : key }, value);
}

function buried(value: JsonTree, depth: number): JsonTree {
  let tree = value;
  for (let level = 0; level < depth; level += 1) tree = level % 2 === 0 ? [tree] : { a: tree };
  return tree;
}

const oddKeys = ["", "__proto__", "constructor", "kind", "spec", "metadata", "items", "a.b", "a/b", "1", "hosts", "é"];
const oddNumbers = [0, -1, 1.5, 65_536, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308];
const oddNames = ["", " ", "*", ".", "..", "/", "-", "a", "A", "é", "\n", "\u0000", "1", "true", "List", "MeshConfig"];
const oddTexts = [
  "1s",
  "-1s",
  "1e9s",
  "999999999999h",
  "10.0.0.0/33",
  "::ffff:1.2.3.4",
  "*.example.com",
  "a..b",
  "[a-",
];
const oddValues: readonly JsonTree[] = [
  null,
  true,
  false,
  ...oddNumbers,
  ...oddNames,
  ...oddTexts,
  "(a|b)*c\\1",
  "x".repeat(500),
  [],
  {},
  [null],
  [[]],
  { "": null },
];
