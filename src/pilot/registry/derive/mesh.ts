import type { Graph } from "../../../collection/graph.ts";
import { MESH_KEY } from "../../model/mesh-settings.ts";
import type { Inputs } from "../inputs.ts";
import { meshSettingsOf } from "../mesh/mesh-settings.ts";

/** The mesh settings: one entry, or none without a MeshConfig. */
export function deriveMesh(graph: Graph, inputs: Inputs) {
  return graph.derive({
    name: "mesh",
    from: inputs.mesh,
    key: () => MESH_KEY,
    to: ({ spec }) => [meshSettingsOf(spec)],
  });
}
