import { isAlias, isMap, isNode, isSeq, type Pair, type YAMLMap } from "yaml";
import type { SourceLocation } from "../config.ts";
import { type PathStep, pathSteps } from "../field-path.ts";
import type { Aliases } from "./aliases.ts";
import type { Composed } from "./compose.ts";
import { isMergeKey, pairKey } from "./plain-value.ts";

/**
 * Finds the places of fields: the key in a mapping, or the element in a list. For a missing field it finds the nearest
 * existing ancestor. It caches the keys of mappings, so that each lookup is one walk.
 */
export class Locator {
  readonly #composed: Composed;
  readonly #targets: Aliases["targets"];
  readonly #keys = new Map<YAMLMap, Keys>();

  constructor(composed: Composed, { targets }: Aliases) {
    this.#composed = composed;
    this.#targets = targets;
  }

  locate(path: string): SourceLocation {
    return this.#composed.placeAt(this.#offsetOf(pathSteps(path)));
  }

  #offsetOf(steps: readonly PathStep[]): number {
    let node: unknown = this.#composed.document.contents;
    let offset = startOf(node) ?? 0;
    for (const step of steps) {
      const target = this.#resolve(node);
      if (isMap(target)) {
        const pair = this.#findPair(target, String(step));
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

  /** Follows an alias to its target, because the author has to edit the target. */
  #resolve(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  /** The pair of a key in either spelling (`exportTo` or `export_to`), here or in a merged mapping. */
  #findPair(map: YAMLMap, key: string, seen = new Set<YAMLMap>()): Pair | undefined {
    if (seen.has(map)) return undefined;
    seen.add(map);
    const keys = this.#keysOf(map);
    const own = keys.exact.get(key) ?? keys.camelCase.get(camelCase(key));
    if (own !== undefined) return own;
    for (const source of keys.merged) {
      const target = this.#resolve(source);
      const found = isMap(target) ? this.#findPair(target, key, seen) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #keysOf(map: YAMLMap): Keys {
    const known = this.#keys.get(map) ?? this.#readKeys(map);
    this.#keys.set(map, known);
    return known;
  }

  #readKeys(map: YAMLMap): Keys {
    // Reversed, so that the first of equal keys wins.
    const pairs = map.items.toReversed();
    const sources = map.items.filter(isMergeKey).map(({ value }) => this.#resolve(value));
    return {
      exact: new Map(pairs.map((pair) => [pairKey(pair), pair])),
      camelCase: new Map(pairs.map((pair) => [camelCase(pairKey(pair)), pair])),
      merged: sources.flatMap((source) => (isSeq(source) ? source.items : [source])),
    };
  }
}

/** The pairs of a mapping by their written keys and by JSON spelling, and the merged mappings. */
interface Keys {
  readonly exact: ReadonlyMap<string, Pair>;
  readonly camelCase: ReadonlyMap<string, Pair>;
  readonly merged: readonly unknown[];
}

function camelCase(name: string): string {
  return name.replaceAll(/_(?<letter>[a-z0-9])/gu, (_, letter: string) => letter.toUpperCase());
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
