import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Config } from "../config.ts";
import { type InjectionMesh, injectionMesh } from "./injection-mesh.ts";
import { type LaunchResult, proxyLaunch } from "./proxy-launch.ts";

/** The part of a mesh's configuration that injected pods depend on. */
export interface InjectionSource {
  readonly mesh: InjectionMesh;
  readonly launchWith: (annotation: string | undefined) => LaunchResult;
}

/**
 * From the mesh configuration, or without one from Istio's defaults. The address is that of a control plane that the
 * configuration does not name.
 */
export function injectionSource(meshConfigs: Iterable<Config>, discoveryAddress: string): InjectionSource {
  const [config] = meshConfigs;
  // The collection holds only this kind.
  const mesh = config?.spec as MeshConfig | undefined;
  return {
    mesh: injectionMesh(mesh),
    launchWith: (annotation) => proxyLaunch({ discoveryAddress, mesh, annotation }),
  };
}
