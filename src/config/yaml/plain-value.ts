import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, Scalar, type YAMLMap } from "yaml";
import type { Aliases } from "./aliases.ts";
import { DocumentRefused } from "./yaml-problem.ts";

/**
 * Turns the nodes of a valid document into plain JSON values. The parser's own function searches all nodes for the
 * target of each alias, so we do not use it. An alias gives the same value as its target, not a copy.
 */
export function plainValue(contents: unknown, { targets }: Aliases): unknown {
  return new Converter(targets).valueOf(contents);
}

class Converter {
  readonly #targets: Aliases["targets"];
  readonly #anchored = new Map<Node, unknown>();

  constructor(targets: Aliases["targets"]) {
    this.#targets = targets;
  }

  valueOf(node: unknown): unknown {
    const target = this.#resolve(node);
    if (isScalar(target)) return scalarValue(target);
    if (!isMap(target) && !isSeq(target)) return null;
    if (this.#anchored.has(target)) return this.#anchored.get(target);
    const value = isMap(target) ? this.#mappingOf(target) : target.items.map((item) => this.valueOf(item));
    if (target.anchor !== undefined) this.#anchored.set(target, value);
    return value;
  }

  #mappingOf(map: YAMLMap): Record<string, unknown> {
    const mapping: Record<string, unknown> = {};
    for (const pair of map.items) {
      if (isMergeKey(pair)) this.#merge(mapping, pair.value);
      else set(mapping, pairKey(pair), this.valueOf(pair.value));
    }
    return mapping;
  }

  /** Adds the fields of one mapping, or of several in a list, that the mapping does not have yet. */
  #merge(mapping: Record<string, unknown>, source: unknown): void {
    const target = this.#resolve(source);
    for (const part of isSeq(target) ? target.items : [source]) {
      const merged = this.#resolve(part);
      if (!isMap(merged)) throw new DocumentRefused({ ...notAMapping, offset: startOf(part) });
      const fields = this.valueOf(merged) as Readonly<Record<string, unknown>>;
      for (const [key, value] of Object.entries(fields)) {
        if (!Object.hasOwn(mapping, key)) set(mapping, key, value);
      }
    }
  }

  #resolve(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }
}

const notAMapping = { code: "bad-yaml", message: "only mappings can be merged" } as const;

/** Whether the pair merges the fields of another mapping. In quotes, `<<` is an ordinary key. */
export function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && key.type === Scalar.PLAIN && key.value === "<<";
}

/** The key of a pair as text; "" for a key that is not text, which the parser has reported. */
export function pairKey({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

/** A value with the tag `!!merge` is a symbol to the parser. */
export function scalarValue({ value, source }: Scalar): unknown {
  return typeof value === "symbol" ? source : value;
}

/** An assignment to `__proto__` would change the prototype of the mapping. */
function set(mapping: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") mapping[key] = value;
  else Object.defineProperty(mapping, key, { value, writable: true, enumerable: true, configurable: true });
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
