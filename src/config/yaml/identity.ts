import { isAlias, isMap, isScalar, isSeq, type YAMLMap } from "yaml";
import type { Aliases } from "./aliases.ts";
import { isMergeKey, pairKey, scalarValue } from "./plain-value.ts";

/**
 * The identity of a document with mistakes: its object, or the objects of its list. Other fields are present but empty,
 * because the parser may have misread them.
 */
export function identityIn(contents: unknown, { targets }: Aliases): unknown {
  const resolve = (node: unknown): unknown => (isAlias(node) ? targets.get(node) : node);
  const identity = (node: unknown): unknown => {
    const target = resolve(node);
    return isMap(target) ? fieldsOf(target, field) : null;
  };
  const field = (key: string, node: unknown): unknown => {
    const target = resolve(node);
    if (isScalar(target)) return scalarValue(target);
    if (key === "metadata" && isMap(target)) return fieldsOf(target, (_, value) => scalarIn(resolve(value)));
    if (key === "items" && isSeq(target)) return target.items.map(identity);
    return isSeq(target) ? [] : {};
  };
  return identity(contents);
}

function scalarIn(node: unknown): unknown {
  return isScalar(node) ? scalarValue(node) : undefined;
}

/** The fields of a mapping by name, without fields from a merge key. */
function fieldsOf(map: YAMLMap, valueOf: (key: string, node: unknown) => unknown): Record<string, unknown> {
  const pairs = map.items.filter((pair) => isScalar(pair.key) && !isMergeKey(pair));
  return Object.fromEntries(pairs.map((pair) => [pairKey(pair), valueOf(pairKey(pair), pair.value)]));
}
