import type { View } from "../../collection/collection.ts";
import type { ConfigId } from "../../config/config.ts";
import type { Credential } from "./credential/credential.ts";
import type { Gateway } from "./gateway/gateway.ts";
import type { Demand } from "./location/demand.ts";
import { type NetworkGateway, type Networks, networksIn } from "./location/networks.ts";
import { type MeshSettings, settingsIn } from "./mesh-settings.ts";
import type { PeerAuthentication } from "./mtls/peer-authentication.ts";
import type { AuthorizationPolicy } from "./policy/authorization-policy.ts";
import type { EnvoyFilter } from "./policy/envoy-filter.ts";
import type { Extension } from "./policy/extension.ts";
import type { ExtensionProvider } from "./policy/extension-provider.ts";
import type { ProxyConfig } from "./policy/proxy-config.ts";
import type { RequestAuthentication } from "./policy/request-authentication.ts";
import type { Telemetry } from "./policy/telemetry.ts";
import type { Sidecar } from "./scope/sidecar.ts";
import type { Service, ServiceEndpoints, ServiceInstance } from "./service/service.ts";
import type { ServicePeers } from "./service/service-peers.ts";
import type { DestinationRule, HostRules } from "./traffic/destination-rule.ts";
import type { VirtualService } from "./traffic/virtual-service.ts";
import type { TrustAnchor } from "./trust-anchor.ts";

/** Pictures of the mesh's collections, all of one commit. */
export interface MeshViews {
  /** By service key. */
  readonly services: View<Service>;
  /** By service key. */
  readonly endpoints: View<ServiceEndpoints>;
  /** By `namespace/name`. */
  readonly virtualServices: View<VirtualService>;
  /** By `mesh` or `namespace/name` of a gateway; the order has no meaning. */
  readonly virtualServicesByGateway: View<readonly VirtualService[]>;
  /** The same, but only those with a match on labels of clients. Most edits of virtual services do not change it. */
  readonly labelledVirtualServices: View<readonly VirtualService[]>;
  /** By `namespace/name`. */
  readonly destinationRules: View<DestinationRule>;
  /** By `namespace/host`. */
  readonly hostRules: View<HostRules>;
  /** By `namespace/name`. */
  readonly gateways: View<Gateway>;
  /** By `namespace/name`. */
  readonly sidecars: View<Sidecar>;
  /** By namespace; the order has no meaning. */
  readonly sidecarsByNamespace: View<readonly Sidecar[]>;
  /** By `namespace/name`. */
  readonly peerAuthentications: View<PeerAuthentication>;
  /** By namespace; the order has no meaning. */
  readonly peerAuthenticationsByNamespace: View<readonly PeerAuthentication[]>;
  /** By `namespace/name`. */
  readonly requestAuthentications: View<RequestAuthentication>;
  /** By namespace; the order has no meaning. */
  readonly requestAuthenticationsByNamespace: View<readonly RequestAuthentication[]>;
  /** By `namespace/name`. */
  readonly authorizationPolicies: View<AuthorizationPolicy>;
  /** By namespace; the order has no meaning. */
  readonly authorizationPoliciesByNamespace: View<readonly AuthorizationPolicy[]>;
  /** By `namespace/name`. */
  readonly telemetries: View<Telemetry>;
  /** By namespace; the order has no meaning. */
  readonly telemetriesByNamespace: View<readonly Telemetry[]>;
  /** By `namespace/name`. */
  readonly proxyConfigs: View<ProxyConfig>;
  /** By namespace; the order has no meaning. */
  readonly proxyConfigsByNamespace: View<readonly ProxyConfig[]>;
  /** By `namespace/name`. */
  readonly envoyFilters: View<EnvoyFilter>;
  /** By namespace; the order has no meaning. */
  readonly envoyFiltersByNamespace: View<readonly EnvoyFilter[]>;
  /** By the id of the WasmPlugin or TrafficExtension. */
  readonly extensions: View<Extension>;
  /** By namespace; the order has no meaning. */
  readonly extensionsByNamespace: View<readonly Extension[]>;
  /** By name. */
  readonly extensionProviders: View<ExtensionProvider>;
  /** By `namespace/name`: Secrets with certificates. */
  readonly secretCredentials: View<Credential>;
  /** By `namespace/name`: ConfigMaps with CA certificates. */
  readonly configMapCredentials: View<Credential>;
  /** By address: the service instances of a workload. */
  readonly instances: View<readonly ServiceInstance[]>;
  /** By service key. */
  readonly peers: View<ServicePeers>;
  /** By content: facts about clients that rules and services need. */
  readonly demands: View<Demand>;
  /** By content: the gateways between networks. */
  readonly networkGateways: View<NetworkGateway>;
  /** By their PEM. */
  readonly trustAnchors: View<TrustAnchor>;
  /** One entry, under `MESH_KEY`. */
  readonly mesh: View<MeshSettings>;
}

/** An immutable snapshot of the mesh. All responses of one push use the same snapshot. */
export interface PushContext extends Omit<MeshViews, "mesh"> {
  /** Strictly increasing within the process; proxies only ever move forward. */
  readonly sequence: number;
  readonly mesh: MeshSettings;
  readonly networks: Networks;
}

/** The previous context of a resource, and the objects that changed since. */
export interface Since {
  readonly push: PushContext;
  readonly changed: ReadonlySet<ConfigId>;
}

/** Captures the mesh in these views. It computes nothing, because the views are up to date. */
export function capturePush({ mesh, ...views }: MeshViews, sequence: number): PushContext {
  return { ...views, mesh: settingsIn(mesh), networks: networksIn(views.networkGateways), sequence };
}

/** Replaces only the endpoints. Endpoint pushes use it, because they do not wait for the debounce of configuration. */
export function withEndpoints(
  push: PushContext,
  { endpoints, instances }: Pick<MeshViews, "endpoints" | "instances">,
  sequence: number,
): PushContext {
  return { ...push, endpoints, instances, sequence };
}
