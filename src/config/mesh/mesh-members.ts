import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Config } from "../config.ts";
import { completeMesh, meshDefaults } from "./mesh-defaults.ts";

/** Who belongs to a mesh, and who runs it. */
export interface MeshMembers {
  /** The mesh's own trust domain first, then its aliases. */
  readonly trustDomains: readonly string[];
  /** Identities of this namespace are those who run the mesh. */
  readonly rootNamespace: string;
}

/** As the mesh configuration says; without one, as Istio's defaults do. */
export function meshMembers(meshConfigs: Iterable<Config>): MeshMembers {
  const [config] = meshConfigs;
  // A collection of this kind holds nothing else.
  const said = config?.spec as MeshConfig | undefined;
  const { trustDomain, trustDomainAliases, rootNamespace } = said === undefined ? meshDefaults() : completeMesh(said);
  return { trustDomains: [trustDomain, ...trustDomainAliases], rootNamespace };
}
