import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import type { Config } from "../../../config/config.ts";

/** Under this key, in a collection of one. */
export const meshFactKey = "mesh";

interface MeshFact<T> {
  readonly name: string;
  readonly mesh: Collection<Config<MeshConfig>>;
  readonly pick: (mesh: MeshConfig) => T;
}

/** What a transformer needs of the mesh configuration, by itself, so that edits of anything else wake nobody. */
export function meshFact<T>(graph: Graph, { name, mesh, pick }: MeshFact<T>): Collection<T> {
  return graph.derive({ name, from: mesh, key: () => meshFactKey, to: ({ spec }) => [pick(spec)] });
}
