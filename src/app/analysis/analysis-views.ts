import type { View } from "../../collection/collection.ts";
import type { ConfigView } from "../../config/analysis/analysis-input.ts";
import type { Config } from "../../config/config.ts";
import { type Kind, outputOf } from "../../config/kind.ts";

/** The views of a snapshot by kind: of those `known`, as they leave Galley. */
export function viewsOf(
  collections: ReadonlyMap<string, View<Config>>,
  known: readonly Kind[],
): (kind: Kind) => ConfigView | undefined {
  const views = new Map(known.map((kind) => [kind.collection, collections.get(outputOf(kind) ?? "")]));
  return ({ collection }) => views.get(collection);
}
