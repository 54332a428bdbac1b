import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Config } from "../config.ts";
import { completeMesh, meshDefaults } from "./mesh-defaults.ts";

/** The trust domains of a mesh, and the namespace of its operators. */
export interface MeshMembers {
  /** The mesh's own trust domain first, then its aliases. */
  readonly trustDomains: readonly string[];
  /** Identities of this namespace operate the mesh. */
  readonly rootNamespace: string;
}

/** From the mesh configuration, or without one from Istio's defaults. */
export function meshMembers(meshConfigs: Iterable<Config>): MeshMembers {
  const [config] = meshConfigs;
  // The collection holds only this kind.
  const said = config?.spec as MeshConfig | undefined;
  const { trustDomain, trustDomainAliases, rootNamespace } = said === undefined ? meshDefaults() : completeMesh(said);
  return { trustDomains: [trustDomain, ...trustDomainAliases], rootNamespace };
}
