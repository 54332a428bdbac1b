import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { meshDefaults } from "../mesh-defaults.ts";
import type { Kind } from "../kind.ts";

export const meshConfig: Kind<typeof MeshConfigSchema> = {
  kind: "MeshConfig",
  group: "mesh.istio.io",
  versions: ["v1alpha1"],
  plural: "meshconfigs",
  scope: "cluster",
  collection: "istio/mesh/v1alpha1/MeshConfig",
  schema: MeshConfigSchema,
  defaults: meshDefaults,
  validate: () => [],
};
