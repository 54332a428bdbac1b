import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { ProxyConfig } from "#gen/istio/networking/v1beta1/proxy_config_pb.js";
import type { Config } from "../config.ts";
import { type InjectionMesh, injectionMesh } from "./injection-mesh.ts";
import { type LaunchedPod, type LaunchResult, proxyLaunch } from "./proxy-launch.ts";

/** The part of a mesh's configuration that injected pods depend on. */
export interface InjectionSource {
  readonly mesh: InjectionMesh;
  /** The settings of the proxy in a pod. */
  readonly launchOf: (pod: LaunchedPod) => LaunchResult;
}

interface MeshObjects {
  readonly meshConfigs: Iterable<Config>;
  readonly proxyConfigs: Iterable<Config>;
}

/**
 * From the objects of a mesh, or without a mesh configuration from Istio's defaults. The address is that of a control
 * plane that no object names.
 */
export function injectionSource(objects: MeshObjects, discoveryAddress: string): InjectionSource {
  const [config] = objects.meshConfigs;
  // Each collection holds only its kind.
  const mesh = config?.spec as MeshConfig | undefined;
  const proxyConfigs = objects.proxyConfigs as Iterable<Config<ProxyConfig>>;
  return {
    mesh: injectionMesh(mesh),
    launchOf: (pod) => proxyLaunch({ discoveryAddress, mesh, proxyConfigs }, pod),
  };
}
