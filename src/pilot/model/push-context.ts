import type { View } from "../../collection/collection.ts";
import type { DestinationRule, HostRules } from "./destination-rule.ts";
import type { Gateway } from "./gateway.ts";
import type { MeshSettings } from "./mesh-settings.ts";
import { defaultMeshSettings } from "./mesh-settings.ts";
import type { Service, ServiceEndpoints } from "./service.ts";
import type { ServiceInstance } from "./service-instance.ts";
import type { ServicePeers } from "./service-peers.ts";
import type { Sidecar } from "./sidecar.ts";
import type { VirtualService } from "./virtual-service.ts";

/** Pictures of the mesh's collections, all of one commit. */
export interface MeshViews {
  /** By service key. */
  readonly services: View<Service>;
  /** By service key. */
  readonly endpoints: View<ServiceEndpoints>;
  /** By `namespace/name`. */
  readonly virtualServices: View<VirtualService>;
  /** By `mesh` or `namespace/name` of a gateway, in no order that matters. */
  readonly virtualServicesByGateway: View<readonly VirtualService[]>;
  /** By `namespace/name`. */
  readonly destinationRules: View<DestinationRule>;
  /** By `namespace/host`. */
  readonly hostRules: View<HostRules>;
  /** By `namespace/name`. */
  readonly gateways: View<Gateway>;
  /** By `namespace/name`. */
  readonly sidecars: View<Sidecar>;
  /** By namespace, in no order that matters. */
  readonly sidecarsByNamespace: View<readonly Sidecar[]>;
  /** By address: what a workload serves. */
  readonly instances: View<readonly ServiceInstance[]>;
  /** By service key. */
  readonly peers: View<ServicePeers>;
  /** One entry, under {@link MESH_KEY}. */
  readonly mesh: View<MeshSettings>;
}

/** The key of the mesh's settings in their collection. */
export const MESH_KEY = "mesh";

/** The mesh at one moment, immutable: what every answer of one push is made from. */
export class PushContext implements Omit<MeshViews, "mesh"> {
  /** Strictly increasing within the process; proxies only ever move forward. */
  readonly sequence: number;
  readonly services: View<Service>;
  readonly endpoints: View<ServiceEndpoints>;
  readonly virtualServices: View<VirtualService>;
  readonly virtualServicesByGateway: View<readonly VirtualService[]>;
  readonly destinationRules: View<DestinationRule>;
  readonly hostRules: View<HostRules>;
  readonly gateways: View<Gateway>;
  readonly sidecars: View<Sidecar>;
  readonly sidecarsByNamespace: View<readonly Sidecar[]>;
  readonly instances: View<readonly ServiceInstance[]>;
  readonly peers: View<ServicePeers>;
  readonly mesh: MeshSettings;
  readonly #views: MeshViews;

  private constructor(views: MeshViews, sequence: number) {
    this.sequence = sequence;
    this.services = views.services;
    this.endpoints = views.endpoints;
    this.virtualServices = views.virtualServices;
    this.virtualServicesByGateway = views.virtualServicesByGateway;
    this.destinationRules = views.destinationRules;
    this.hostRules = views.hostRules;
    this.gateways = views.gateways;
    this.sidecars = views.sidecars;
    this.sidecarsByNamespace = views.sidecarsByNamespace;
    this.instances = views.instances;
    this.peers = views.peers;
    this.mesh = views.mesh.get(MESH_KEY) ?? defaultMeshSettings;
    this.#views = views;
  }

  static capture(views: MeshViews, sequence: number): PushContext {
    return new PushContext(views, sequence);
  }

  /** Newer endpoints on an otherwise unchanged mesh: for what may not wait until the configuration has settled. */
  withEndpoints(newer: Pick<MeshViews, "endpoints" | "instances">, sequence: number): PushContext {
    const { endpoints, instances } = newer;
    return new PushContext({ ...this.#views, endpoints, instances }, sequence);
  }
}
