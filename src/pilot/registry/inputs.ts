import type { TrafficExtension } from "#gen/istio/extensions/v1alpha1/traffic_extension_pb.js";
import type { WasmPlugin } from "#gen/istio/extensions/v1alpha1/wasm_pb.js";
import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { MeshNetworks } from "#gen/istio/mesh/v1alpha1/network_pb.js";
import type { DestinationRule } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { EnvoyFilter } from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import type { Gateway } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { Sidecar } from "#gen/istio/networking/v1alpha3/sidecar_pb.js";
import type { VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { WorkloadEntry } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import type { ProxyConfig } from "#gen/istio/networking/v1beta1/proxy_config_pb.js";
import type { AuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { PeerAuthentication } from "#gen/istio/security/v1beta1/peer_authentication_pb.js";
import type { RequestAuthentication } from "#gen/istio/security/v1beta1/request_authentication_pb.js";
import type { Telemetry } from "#gen/istio/telemetry/v1alpha1/telemetry_pb.js";
import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import { type Config, type ConfigId, isSameConfig, type Origin } from "../../config/config.ts";
import { type MeshService, meshServices } from "../../config/mesh/mesh-service.ts";
import { ownValue } from "../../lib/own-value.ts";
import { keyOf, kindNameOf } from "../model/config-id.ts";
import type { FetchedKeySet } from "../model/policy/key-set.ts";
import type { TrustAnchor } from "../model/trust-anchor.ts";
import type { GatewaySettings } from "./gateway/gateway.ts";

/** Facts about the cluster that do not depend on configuration. */
export interface EnvironmentSettings extends GatewaySettings {
  /** The DNS domain of the cluster: completes short hostnames. */
  readonly domain: string;
  /** The cluster that ServiceEntry endpoints belong to. */
  readonly clusterId: string;
  /** Whether the health that agents of workloads report counts. Default: it does. */
  readonly workloadHealth?: boolean;
}

/** The collections of users' objects that Galley distributes to Pilot. */
export interface Inputs {
  readonly byCollection: ReadonlyMap<string, Input<Config>>;
  readonly serviceEntries: Collection<Config<ServiceEntry>>;
  /**
   * Services that Kubernetes registers. Their synthetic ServiceEntries carry less information over MCP, so Pilot
   * ignores these.
   */
  readonly meshServices: Collection<Config<MeshService>>;
  readonly workloadEntries: Collection<Config<WorkloadEntry>>;
  readonly virtualServices: Collection<Config<VirtualService>>;
  readonly destinationRules: Collection<Config<DestinationRule>>;
  readonly gateways: Collection<Config<Gateway>>;
  readonly sidecars: Collection<Config<Sidecar>>;
  readonly peerAuthentications: Collection<Config<PeerAuthentication>>;
  readonly requestAuthentications: Collection<Config<RequestAuthentication>>;
  readonly authorizationPolicies: Collection<Config<AuthorizationPolicy>>;
  readonly telemetries: Collection<Config<Telemetry>>;
  readonly proxyConfigs: Collection<Config<ProxyConfig>>;
  readonly envoyFilters: Collection<Config<EnvoyFilter>>;
  readonly wasmPlugins: Collection<Config<WasmPlugin>>;
  readonly trafficExtensions: Collection<Config<TrafficExtension>>;
  /** Reach Pilot only within one process. */
  readonly secrets: Collection<Config>;
  readonly configMaps: Collection<Config>;
  readonly mesh: Collection<Config<MeshConfig>>;
  readonly meshNetworks: Collection<Config<MeshNetworks>>;
  /** By the key of their place. No user's objects: the process fetches them. */
  readonly fetchedKeySets: Input<FetchedKeySet>;
  /** By their PEM: the roots of our certificate authority. */
  readonly trustedRoots: Input<TrustAnchor>;
}

/** Creates one input for each collection that Pilot receives. */
export function buildInputs(graph: Graph): Inputs {
  const byCollection = new Map<string, Input<Config>>();
  function input<S>(name: string): Collection<Config<S>> {
    const created = graph.input<Config>(name, { equals: isSameConfig });
    byCollection.set(name, created);
    // The kind table guarantees this cast: a config enters a collection only with the spec of its kind.
    return created as Collection<Config<S>>;
  }
  const networking = "istio/networking/v1alpha3";
  const security = "istio/security/v1beta1";
  // Received, so that a peer that requests it gets a response, but not used. Istio's RBAC of that time is out of scope.
  input("istio/rbac/v1alpha1/serviceroles");
  return {
    byCollection,
    serviceEntries: input(`${networking}/serviceentries`),
    meshServices: input(meshServices),
    workloadEntries: input(`${networking}/workloadentries`),
    virtualServices: input(`${networking}/virtualservices`),
    destinationRules: input(`${networking}/destinationrules`),
    gateways: input(`${networking}/gateways`),
    sidecars: input(`${networking}/sidecars`),
    peerAuthentications: input(`${security}/peerauthentications`),
    requestAuthentications: input(`${security}/requestauthentications`),
    authorizationPolicies: input(`${security}/authorizationpolicies`),
    telemetries: input("istio/telemetry/v1alpha1/telemetries"),
    proxyConfigs: input("istio/networking/v1beta1/proxyconfigs"),
    envoyFilters: input(`${networking}/envoyfilters`),
    wasmPlugins: input("istio/extensions/v1alpha1/wasmplugins"),
    trafficExtensions: input("istio/extensions/v1alpha1/trafficextensions"),
    secrets: input("k8s/core/v1/secrets"),
    configMaps: input("k8s/core/v1/configmaps"),
    mesh: input("istio/mesh/v1alpha1/MeshConfig"),
    meshNetworks: input("istio/mesh/v1alpha1/MeshNetworks"),
    fetchedKeySets: graph.input<FetchedKeySet>("fetched key sets"),
    trustedRoots: graph.input<TrustAnchor>("trusted roots"),
  };
}

const collectionOfKind = {
  ServiceEntry: "serviceEntries",
  Service: "meshServices",
  WorkloadEntry: "workloadEntries",
  VirtualService: "virtualServices",
  DestinationRule: "destinationRules",
  Gateway: "gateways",
  Sidecar: "sidecars",
  PeerAuthentication: "peerAuthentications",
  RequestAuthentication: "requestAuthentications",
  AuthorizationPolicy: "authorizationPolicies",
  Telemetry: "telemetries",
  ProxyConfig: "proxyConfigs",
  EnvoyFilter: "envoyFilters",
  WasmPlugin: "wasmPlugins",
  TrafficExtension: "trafficExtensions",
  Secret: "secrets",
  ConfigMap: "configMaps",
} as const;

/** The input that holds the object with this id; undefined if Pilot has no such kind. */
export function inputOf(id: ConfigId, inputs: Inputs): Input<Config> | undefined {
  const name = ownValue(collectionOfKind, kindNameOf(id));
  return name === undefined ? undefined : inputs.byCollection.get(inputs[name].name);
}

/** The current file and line of the object with this id. */
export function originOf(id: ConfigId, inputs: Inputs): Origin | undefined {
  return inputOf(id, inputs)?.get(keyOf(id))?.origin;
}
