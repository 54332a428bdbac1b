import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Collection, Tracked } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import type { Config } from "../../../config/config.ts";
import { completeMesh, meshDefaults } from "../../../config/mesh/mesh-defaults.ts";

/** The key of the only fact in the collection. */
const meshKey = "mesh";

interface MeshFact<T> {
  readonly name: string;
  readonly mesh: Collection<Config<MeshConfig>>;
  readonly pick: (mesh: MeshConfig) => T;
}

/**
 * The part of the mesh configuration that a transformer needs, as its own collection. So edits of other fields trigger
 * no recomputation.
 */
export function meshFact<T>(graph: Graph, { name, mesh, pick }: MeshFact<T>): Collection<T> {
  return graph.derive({ name, from: mesh, key: () => meshKey, to: ({ spec }) => [pick(completeMesh(spec))] });
}

/** The fact as a derivation reads it. Without a mesh configuration it comes from the defaults. */
export function currentFact<T>(facts: Tracked<T>, pick: MeshFact<T>["pick"]): T {
  return facts.get(meshKey) ?? pick(meshDefaults());
}
