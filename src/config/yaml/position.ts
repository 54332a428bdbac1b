import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import type { Place } from "../config.ts";
import { type PathStep, pathSteps } from "../field-path.ts";
import type { Composed } from "./compose.ts";

/**
 * The place of a field: of its key in a mapping, of the element in a list, and of the nearest ancestor that exists
 * when the field is missing.
 */
export function locateIn(composed: Composed, path: string): Place {
  return composed.placeAt(offsetOf(composed, pathSteps(path)));
}

function offsetOf(composed: Composed, steps: readonly PathStep[]): number {
  let node: unknown = composed.document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of steps) {
    const target = resolve(composed, node);
    if (isMap(target)) {
      const pair = findPair(composed, target, String(step));
      if (pair === undefined) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(target) && typeof step === "number" && step < target.items.length) {
      node = target.items[step];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

/** Follows an alias to what it stands for, which is where the author has to edit. */
function resolve(composed: Composed, node: unknown): unknown {
  return isAlias(node) ? node.resolve(composed.document) : node;
}

/** The pair of a key, however it is spelt (`exportTo` or `export_to`), here or in what a merge key brings in. */
function findPair(composed: Composed, map: YAMLMap, key: string): Pair | undefined {
  const wanted = camelCase(key);
  return (
    map.items.find((pair) => keyOf(pair) === key) ??
    map.items.find((pair) => camelCase(keyOf(pair)) === wanted) ??
    findMerged(composed, map, key)
  );
}

function findMerged(composed: Composed, map: YAMLMap, key: string): Pair | undefined {
  const merged = map.items.filter((pair) => keyOf(pair) === "<<").map((pair) => resolve(composed, pair.value));
  for (const source of merged.flatMap((node) => (isSeq(node) ? node.items : [node]))) {
    const target = resolve(composed, source);
    const found = isMap(target) ? findPair(composed, target, key) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : "";
}

function camelCase(name: string): string {
  return name.replaceAll(/_(?<letter>[a-z0-9])/gu, (_, letter: string) => letter.toUpperCase());
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? ((node as Node).range?.[0] ?? undefined) : undefined;
}
