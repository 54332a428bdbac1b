import { type MeshConfig, MeshConfig_InboundTrafficPolicy_Mode } from "#gen/istio/mesh/v1alpha1/config_pb.js";

/** The facts of a mesh that every injected pod needs. */
export interface InjectionMesh {
  readonly outboundPort: number;
  readonly inboundPort: number;
  readonly trustDomain: string;
  /** The agent serves the application's metrics together with its own. */
  readonly mergesMetrics: boolean;
  /** Inbound traffic reaches the application on 127.0.0.1 instead of the pod's address. */
  readonly inboundToLocalhost: boolean;
}

export function injectionMesh(mesh: MeshConfig | undefined): InjectionMesh {
  return {
    outboundPort: mesh?.proxyListenPort || 15_001,
    inboundPort: mesh?.proxyInboundListenPort || 15_006,
    trustDomain: mesh?.trustDomain || "cluster.local",
    mergesMetrics: mesh?.enablePrometheusMerge ?? true,
    inboundToLocalhost: mesh?.inboundTrafficPolicy?.mode === MeshConfig_InboundTrafficPolicy_Mode.LOCALHOST,
  };
}
