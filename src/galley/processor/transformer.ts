import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";

/** A collection that leaves Galley, and the snapshots it leaves in. */
export interface Output {
  readonly collection: string;
  readonly group: SnapshotGroup;
}

/**
 * Turns collections that sources fill into collections that are distributed. It says beforehand what it needs and
 * makes; `install` then adds its derivations to the graph, once, and returns one collection per declared output.
 */
export interface Transformer {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly Output[];
  /** `input` gives the collections named in `inputs`, all sources united. Derived nodes are named after the transformer. */
  install(graph: Graph, input: (collection: string) => Collection<Config>): ReadonlyMap<string, Collection<Config>>;
}
