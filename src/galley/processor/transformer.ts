import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";

/** A collection that leaves Galley, with the snapshot groups that contain it. */
export interface Output {
  readonly collection: string;
  readonly group: SnapshotGroup;
}

/** The collections that a transformer declares as inputs, united over all sources. */
export type Inputs = (collection: string) => Collection<Config>;

/**
 * Turns source collections into distributed collections. A transformer declares its inputs and outputs. `install` adds
 * its derivations to the graph once and returns one collection per declared output.
 */
export interface Transformer {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly Output[];
  /** Derived nodes are named after the transformer. */
  install(graph: Graph, input: Inputs): ReadonlyMap<string, Collection<Config>>;
}
