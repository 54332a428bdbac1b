import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { completeMesh, meshDefaults } from "../../mesh/mesh-defaults.ts";
import type { AnalysisInput } from "../analyzer.ts";

/** The mesh configuration, or the defaults without one. Reads MeshConfig. */
export function currentMeshConfig(input: AnalysisInput): MeshConfig {
  const said = input.all(meshConfig)[0]?.spec;
  return said === undefined ? meshDefaults() : completeMesh(said);
}
