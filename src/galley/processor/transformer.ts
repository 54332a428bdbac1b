import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import type { Kind, SnapshotGroup } from "../../config/kind.ts";

/** A collection that leaves Galley, with the snapshot groups that contain it. */
export interface Output {
  readonly collection: string;
  readonly group: SnapshotGroup;
}

/** The collections that a transformer declares as inputs, united over all sources. */
export type TransformerInputs = (collection: string) => Collection<Config>;

/**
 * Turns source collections into distributed collections. A transformer declares its inputs and outputs. `install` adds
 * its derivations to the graph once and returns one collection per declared output.
 */
export interface Transformer {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly Output[];
  /** Derived nodes are named after the transformer. */
  install(graph: Graph, input: TransformerInputs): ReadonlyMap<string, Collection<Config>>;
}

/** A transformer's input with the type of its kind. */
export function inputCollection<Desc extends DescMessage>(
  { collection }: Kind<Desc>,
  input: TransformerInputs,
): Collection<Config<MessageShape<Desc>>> {
  // The kind table guarantees this cast: a config enters a collection only with the spec of its kind.
  return input(collection) as Collection<Config<MessageShape<Desc>>>;
}
