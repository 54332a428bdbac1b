import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";

/** A collection that leaves Galley, and the snapshots it leaves in. */
export interface Output {
  readonly collection: string;
  readonly group: SnapshotGroup;
}

/** The collections that a transformer has named, all sources united. */
export type Inputs = (collection: string) => Collection<Config>;

/**
 * Turns collections that sources fill into collections that are distributed. It says beforehand what it needs and
 * makes; `install` then adds its derivations to the graph, once, and returns one collection per declared output.
 */
export interface Transformer {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly Output[];
  /** Derived nodes are named after the transformer. */
  install(graph: Graph, input: Inputs): ReadonlyMap<string, Collection<Config>>;
}
