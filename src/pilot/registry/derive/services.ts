import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Config, configKey } from "../../../config/config.ts";
import type { EndpointHealth } from "../../../config/mesh/mesh-service.ts";
import { type MeshSettings, settingsIn } from "../../model/mesh-settings.ts";
import {
  keepsSessions,
  parseServiceKey,
  type Service,
  type ServiceEndpoints,
  type ServiceInstance,
  serviceKey,
} from "../../model/service/service.ts";
import { type ServicePeers, servicePeersOf } from "../../model/service/service-peers.ts";
import type { EnvironmentSettings, Inputs } from "../inputs.ts";
import type { NetworkRules } from "../mesh/networks.ts";
import { aliasesOf } from "../service/aliases.ts";
import { type Allocation, allocateAddresses, isAllocatable } from "../service/allocated-addresses.ts";
import { endpointsOf } from "../service/endpoints.ts";
import { type Declaration, hostsOf, serviceOf } from "../service/service.ts";
import { workloadKeys } from "../service/workloads.ts";
import { NETWORK_RULES_KEY } from "./mesh.ts";

interface Context {
  readonly mesh: Collection<MeshSettings>;
  readonly networkRules: Collection<NetworkRules>;
}

/** Services and their endpoints, from every object that declares some. */
export function deriveServices(
  graph: Graph,
  inputs: Inputs,
  { mesh, networkRules }: Context,
  { clusterId, workloadHealth: healthChecks = true }: EnvironmentSettings,
) {
  const declarationsByHost = groupDeclarations(graph, inputs);
  const workloadsByLabel = graph.group({
    name: "workloads by label",
    from: inputs.workloadEntries,
    keys: workloadKeys,
  });
  const aliasesByTarget = graph.group({
    name: "aliases by target",
    from: inputs.meshServices,
    keys: ({ spec: { access } }) => (access.type === "alias" ? [access.externalName] : []),
  });
  const declared = graph.derive({
    name: "declared services",
    from: declarationsByHost,
    reads: { mesh, aliasesByTarget },
    key: (service: Service) => serviceKey(service),
    to: (declarations, reads, key) => {
      const { hostname } = parseServiceKey(key);
      return serviceOf(hostname, declarations, settingsIn(reads.mesh), aliasesOf(hostname, reads.aliasesByTarget));
    },
  });
  const services = deriveAllocated(graph, declared);
  const listed = graph.derive({
    name: "listed endpoints",
    from: declarationsByHost,
    reads: { workloadsByLabel, networkRules },
    key: (endpoints: ServiceEndpoints) => serviceKey(endpoints),
    to: (declarations, { workloadsByLabel: workloads, networkRules: rules }, key) => [
      endpointsOf(parseServiceKey(key), declarations, {
        clusterId,
        healthChecks,
        workloadsByLabel: workloads,
        networkRules: rules.get(NETWORK_RULES_KEY),
      }),
    ],
  });
  return { services, listed, endpoints: deriveCallable(graph, listed, services) };
}

/** The same services. Those without addresses have allocated ones, each different from all others. */
function deriveAllocated(graph: Graph, declared: Collection<Service>): Collection<Service> {
  const withoutAddresses = graph.group({
    name: "services without addresses",
    from: declared,
    keys: (service) => (isAllocatable(service) ? ["all"] : []),
  });
  const allocations = graph.derive({
    name: "allocated addresses",
    from: withoutAddresses,
    key: (allocation: Allocation) => serviceKey(allocation),
    to: allocateAddresses,
  });
  return graph.derive({
    name: "services",
    from: declared,
    reads: { allocations },
    key: (service: Service) => serviceKey(service),
    to: (service, reads, key) => {
      const allocated = reads.allocations.get(key)?.addresses;
      return [allocated === undefined ? service : { ...service, allocated }];
    },
  });
}

/** By the key of the service that they declare. */
function groupDeclarations(graph: Graph, inputs: Inputs) {
  const declarations = graph.union<Declaration>({
    name: "declarations",
    parts: [
      declarationsIn(graph, inputs.serviceEntries, (config) => ({ registry: "External", config })),
      declarationsIn(graph, inputs.meshServices, (config) => ({ registry: "Kubernetes", config })),
    ],
    equals: isSameDeclaration,
  });
  return graph.group({
    name: "declarations by host",
    from: declarations,
    keys: (declared) =>
      hostsOf(declared).map((hostname) => serviceKey({ namespace: declared.config.namespace, hostname })),
  });
}

function deriveCallable(graph: Graph, listed: Collection<ServiceEndpoints>, services: Collection<Service>) {
  return graph.derive({
    name: "endpoints",
    from: listed,
    reads: { services },
    key: (endpoints: ServiceEndpoints) => serviceKey(endpoints),
    to: (all, reads, key) => [callable(all, reads.services.get(key))],
  });
}

/**
 * The endpoints that clients receive. Clients do not call a workload that starts or terminates, but its own proxy must
 * serve it. So `listed` has all endpoints.
 */
function callable(all: ServiceEndpoints, service: Service | undefined): ServiceEndpoints {
  const endpoints = all.endpoints.filter(({ health = "healthy" }) => isToldOf(health, service));
  return endpoints.length === all.endpoints.length ? all : { ...all, endpoints };
}

function isToldOf(health: EndpointHealth, service: Service | undefined): boolean {
  if (health === "healthy") return true;
  if (service === undefined) return false;
  // Clients that prefer near endpoints must see an unhealthy endpoint before they fail over.
  if (health === "unhealthy") return service.trafficDistribution !== "any";
  return health === "draining" && keepsSessions(service);
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

/** Inputs keep the old object for equal content, so comparing identity is enough. */
function isSameDeclaration(a: Declaration, b: Declaration): boolean {
  return a.config === b.config && a.registry === b.registry;
}

/** Service instances by address. Endpoints are handled one by one, so that a change affects only its own address. */
export function deriveInstances(graph: Graph, endpoints: Collection<ServiceEndpoints>) {
  const instances = graph.derive({
    name: "instances",
    from: endpoints,
    key: ({ service, endpoint }: ServiceInstance) =>
      `${service} ${endpoint.servicePortName} ${endpoint.address} ${endpoint.port}`,
    to: (all, _reads, service) => all.endpoints.map((endpoint) => ({ service, endpoint })),
  });
  return graph.group({ name: "instances by address", from: instances, keys: ({ endpoint }) => [endpoint.address] });
}

/**
 * Identity facts of each service. All its workloads count, in any state, so that a restart does not change clusters.
 */
export function derivePeers(graph: Graph, listed: Collection<ServiceEndpoints>) {
  return graph.derive({
    name: "peers",
    from: listed,
    key: (peers: ServicePeers) => serviceKey(peers),
    to: (endpoints) => [servicePeersOf(endpoints)],
  });
}
