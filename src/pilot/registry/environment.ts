import type { Collection } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import type { Config, ConfigId, Origin } from "../../config/config.ts";
import { configKey } from "../../config/config.ts";
import { ingressGateway, isIngressGateway } from "../../config/ingress-gateway.ts";
import type { DestinationRule, HostRules } from "../model/destination-rule.ts";
import type { Gateway } from "../model/gateway.ts";
import type { MeshSettings } from "../model/mesh-settings.ts";
import { defaultMeshSettings } from "../model/mesh-settings.ts";
import type { MeshViews } from "../model/push-context.ts";
import { MESH_KEY } from "../model/push-context.ts";
import type { Service, ServiceEndpoints } from "../model/service.ts";
import { parseServiceKey, serviceKey } from "../model/service.ts";
import type { ServiceInstance } from "../model/service-instance.ts";
import { type ServicePeers, servicePeersOf } from "../model/service-peers.ts";
import type { Sidecar } from "../model/sidecar.ts";
import type { VirtualService } from "../model/virtual-service.ts";
import { destinationRuleOf, hostRulesKey, mergeRules } from "./destination-rules.ts";
import { endpointsOf, workloadKeys } from "./endpoints.ts";
import { gatewayOf } from "./gateways.ts";
import type { Inputs } from "./inputs.ts";
import { buildInputs, originOf } from "./inputs.ts";
import { meshSettingsOf } from "./mesh-settings.ts";
import type { Declaration } from "./services.ts";
import { hostsOf, serviceOf } from "./services.ts";
import { sidecarOf } from "./sidecars.ts";
import { virtualServiceOf } from "./virtual-services.ts";

export interface EnvironmentSettings {
  /** The DNS domain of the cluster: completes short host names. */
  readonly domain: string;
  /** The cluster that ServiceEntry endpoints belong to. */
  readonly clusterId: string;
}

/** Pilot's picture of the mesh: what arrives, and everything that follows from it alone. Nothing here knows of proxies. */
export interface Environment {
  /** By output collection, such as `istio/networking/v1alpha3/gateways`: what a link fills. */
  readonly inputs: ReadonlyMap<string, Input<Config>>;
  readonly services: Collection<Service>;
  readonly endpoints: Collection<ServiceEndpoints>;
  readonly virtualServices: Collection<VirtualService>;
  readonly virtualServicesByGateway: Collection<readonly VirtualService[]>;
  readonly destinationRules: Collection<DestinationRule>;
  readonly hostRules: Collection<HostRules>;
  readonly gateways: Collection<Gateway>;
  readonly sidecars: Collection<Sidecar>;
  readonly instances: Collection<readonly ServiceInstance[]>;
  readonly peers: Collection<ServicePeers>;
  readonly mesh: Collection<MeshSettings>;
  /** Pictures of all of them as they are now: what `PushContext.capture` takes. */
  views(): MeshViews;
  /** Where the user's object stands now. Asked when it is shown, so that moving a line changes no resource. */
  originOf(id: ConfigId): Origin | undefined;
}

/** Builds the model on `graph`. */
export function buildEnvironment(graph: Graph, settings: EnvironmentSettings): Environment {
  const inputs = buildInputs(graph);
  const mesh = graph.derive({
    name: "mesh",
    from: inputs.mesh,
    key: () => MESH_KEY,
    to: ({ spec }) => [meshSettingsOf(spec)],
  });
  const { services, endpoints, listed } = deriveRegistry(graph, inputs, mesh, settings);
  const { virtualServices, virtualServicesByGateway } = deriveVirtualServices(graph, inputs, mesh, settings);
  const { destinationRules, hostRules } = deriveDestinationRules(graph, inputs, mesh, settings);
  const gateways = graph.derive({
    name: "gateways",
    from: inputs.gateways,
    key: (gateway: Gateway) => configKey(gateway),
    to: (config) => [gatewayOf(config)],
  });
  const { sidecars, sidecarsByNamespace } = deriveSidecars(graph, inputs, settings);
  const instances = deriveInstances(graph, listed);
  const peers = graph.derive({
    name: "peers",
    // Of all workloads, whatever state they are in: a restart is not to change clusters.
    from: listed,
    key: (each: ServicePeers) => serviceKey(each),
    to: (each) => [servicePeersOf(each)],
  });
  return {
    inputs: inputs.byCollection,
    services,
    endpoints,
    virtualServices,
    virtualServicesByGateway,
    destinationRules,
    hostRules,
    gateways,
    sidecars,
    instances,
    peers,
    mesh,
    views: () => ({
      services: services.snapshot(),
      endpoints: endpoints.snapshot(),
      virtualServices: virtualServices.snapshot(),
      virtualServicesByGateway: virtualServicesByGateway.snapshot(),
      destinationRules: destinationRules.snapshot(),
      hostRules: hostRules.snapshot(),
      gateways: gateways.snapshot(),
      sidecars: sidecars.snapshot(),
      sidecarsByNamespace: sidecarsByNamespace.snapshot(),
      instances: instances.snapshot(),
      peers: peers.snapshot(),
      mesh: mesh.snapshot(),
    }),
    originOf: (id) => originOf(id, inputs),
  };
}

function deriveRegistry(graph: Graph, inputs: Inputs, mesh: Collection<MeshSettings>, settings: EnvironmentSettings) {
  const declarations = graph.union<Declaration>({
    name: "declarations",
    parts: [
      declarationsIn(graph, inputs.serviceEntries, (config) => ({ registry: "External", config })),
      declarationsIn(graph, inputs.meshServices, (config) => ({ registry: "Kubernetes", config })),
    ],
    equals: isSameDeclaration,
  });
  const declarationsByHost = graph.group({
    name: "declarations by host",
    from: declarations,
    keys: (declared) =>
      hostsOf(declared).map((hostname) => serviceKey({ namespace: declared.config.namespace, hostname })),
  });
  const workloadsByLabel = graph.group({
    name: "workloads by label",
    from: inputs.workloadEntries,
    keys: workloadKeys,
  });
  const services = graph.derive({
    name: "services",
    from: declarationsByHost,
    reads: { mesh },
    key: (service: Service) => serviceKey(service),
    to: (declared, reads, key) => serviceOf(parseServiceKey(key).hostname, declared, settingsIn(reads.mesh)),
  });
  const listed = graph.derive({
    name: "listed endpoints",
    from: declarationsByHost,
    reads: { workloadsByLabel },
    key: (endpoints: ServiceEndpoints) => serviceKey(endpoints),
    to: (declared, reads, key) => [
      endpointsOf(parseServiceKey(key), declared, { ...reads, clusterId: settings.clusterId }),
    ],
  });
  const endpoints = graph.derive({
    name: "endpoints",
    from: listed,
    key: (endpoints: ServiceEndpoints) => serviceKey(endpoints),
    to: (all) => [callable(all)],
  });
  return { services, endpoints, listed };
}

/** A workload that starts or ends is not called, and yet its own proxy has to serve it: `instances` has them all. */
function callable(all: ServiceEndpoints): ServiceEndpoints {
  const endpoints = all.endpoints.filter(({ health }) => health === undefined || health === "healthy");
  return endpoints.length === all.endpoints.length ? all : { ...all, endpoints };
}

function declarationsIn<S>(
  graph: Graph,
  configs: Collection<Config<S>>,
  declare: (config: Config<S>) => Declaration,
): Collection<Declaration> {
  return graph.derive({
    name: `declarations of ${configs.name}`,
    from: configs,
    key: ({ registry, config }: Declaration) => `${registry}/${configKey(config)}`,
    to: (config) => [declare(config)],
    equals: isSameDeclaration,
  });
}

/** Inputs keep the old object for equal content, so identity says it all. */
function isSameDeclaration(a: Declaration, b: Declaration): boolean {
  return a.config === b.config && a.registry === b.registry;
}

function deriveVirtualServices(
  graph: Graph,
  inputs: Inputs,
  mesh: Collection<MeshSettings>,
  settings: EnvironmentSettings,
) {
  const ingressGateways = graph.group({
    name: "ingress gateways",
    from: inputs.gateways,
    keys: (config) => (isIngressGateway(config) ? [ingressGateway] : []),
  });
  const virtualServices = graph.derive({
    name: "virtual services",
    from: inputs.virtualServices,
    reads: { mesh, ingressGateways },
    key: (virtualService: VirtualService) => configKey(virtualService),
    to: (config, reads) => [
      virtualServiceOf(config, {
        mesh: settingsIn(reads.mesh),
        domain: settings.domain,
        ingressGateways: () => (reads.ingressGateways.get(ingressGateway) ?? []).map(configKey),
      }),
    ],
  });
  const virtualServicesByGateway = graph.group({
    name: "virtual services by gateway",
    from: virtualServices,
    // One without hosts is a delegate: it binds to nothing by itself.
    keys: ({ hosts, gateways }) => (hosts.length === 0 ? [] : gateways),
  });
  return { virtualServices, virtualServicesByGateway };
}

function deriveDestinationRules(
  graph: Graph,
  inputs: Inputs,
  mesh: Collection<MeshSettings>,
  settings: EnvironmentSettings,
) {
  const destinationRules = graph.derive({
    name: "destination rules",
    from: inputs.destinationRules,
    reads: { mesh },
    key: (rule: DestinationRule) => configKey(rule),
    // A rule for selected workloads is no part of what a namespace shares; such rules are not applied yet.
    to: (config, reads) =>
      config.spec.workloadSelector === undefined
        ? [destinationRuleOf(config, settingsIn(reads.mesh), settings.domain)]
        : [],
  });
  const rulesByHost = graph.group({
    name: "destination rules by host",
    from: destinationRules,
    keys: (rule) => [hostRulesKey(rule)],
  });
  const hostRules = graph.derive({
    name: "host rules",
    from: rulesByHost,
    key: (rules: HostRules) => hostRulesKey(rules),
    to: mergeRules,
  });
  return { destinationRules, hostRules };
}

function deriveSidecars(graph: Graph, inputs: Inputs, { domain }: EnvironmentSettings) {
  const sidecars = graph.derive({
    name: "sidecars",
    from: inputs.sidecars,
    key: (sidecar: Sidecar) => configKey(sidecar),
    to: (config) => [sidecarOf(config, domain)],
  });
  const sidecarsByNamespace = graph.group({
    name: "sidecars by namespace",
    from: sidecars,
    keys: ({ namespace }) => [namespace],
  });
  return { sidecars, sidecarsByNamespace };
}

/** What each address serves. Endpoints are taken one by one, so that a change of one touches its address alone. */
function deriveInstances(graph: Graph, endpoints: Collection<ServiceEndpoints>) {
  const instances = graph.derive({
    name: "instances",
    from: endpoints,
    key: ({ service, endpoint }: ServiceInstance) =>
      `${service} ${endpoint.servicePortName} ${endpoint.address} ${endpoint.port}`,
    to: (all, _reads, service) => all.endpoints.map((endpoint) => ({ service, endpoint })),
  });
  return graph.group({ name: "instances by address", from: instances, keys: ({ endpoint }) => [endpoint.address] });
}

function settingsIn(mesh: { get(key: string): MeshSettings | undefined }): MeshSettings {
  return mesh.get(MESH_KEY) ?? defaultMeshSettings;
}
