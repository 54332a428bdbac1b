import type { ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { endpointSlice, endpoints, node, pod, service } from "../../../config/kinds/kubernetes.ts";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import {
  type MeshService,
  meshServices,
  receivedServices,
  syntheticEntries,
} from "../../../config/mesh/mesh-service.ts";
import { collectionOf, type Inputs, type Transformer } from "../transformer.ts";
import { currentFact, meshFact } from "./mesh-fact.ts";
import { endpointSets, slicesByService } from "./services/endpoint-sets.ts";
import { meshServiceOf } from "./services/mesh-service-of.ts";
import { syntheticEntryOf, trustDomainOf } from "./services/synthetic-entry.ts";
import { workloadsByAddress } from "./services/workloads.ts";

const group = "syntheticServiceEntry";
const outputs = [
  { collection: meshServices, group },
  { collection: syntheticEntries, group },
] as const;

/**
 * The only conversion of Kubernetes services, with their endpoints, pods and nodes. Pilot uses the result directly. For
 * MCP, the result is projected to the synthetic ServiceEntries that MCP consumers know.
 */
export function services(domain: string): Transformer {
  const name = "services";
  return {
    name,
    inputs: [service, endpoints, endpointSlice, pod, node, meshConfig].map(({ collection }) => collection),
    outputs,
    install: (graph, input) => withEntries({ graph, name, input, converted: convert(graph, input, domain) }),
  };
}

/**
 * Services that another Galley has already converted. They pass unchanged, and get synthetic entries like local ones.
 */
export function servicesFromElsewhere(): Transformer {
  const name = "received services";
  return {
    name,
    inputs: [receivedServices, meshConfig.collection],
    outputs,
    install(graph, input) {
      // The sources that fill this collection guarantee the cast: they store only configs with this spec.
      const converted = input(receivedServices) as Collection<Config<MeshService>>;
      return withEntries({ graph, name, input, converted });
    },
  };
}

interface Conversion {
  readonly graph: Graph;
  readonly name: string;
  readonly input: Inputs;
  readonly converted: Collection<Config<MeshService>>;
}

function withEntries({ graph, name, input, converted }: Conversion): ReadonlyMap<string, Collection<Config>> {
  const trustDomains = meshFact(graph, {
    name: `${name}/trust domain`,
    mesh: collectionOf(meshConfig, input),
    pick: trustDomainOf,
  });
  const projected = graph.derive({
    name: `${name}/synthetic entries`,
    from: converted,
    reads: { trustDomains },
    key: (entry: Config) => configKey(entry),
    to: (config, reads) => [syntheticEntryOf(config, currentFact(reads.trustDomains, trustDomainOf))],
    equals: isSameConfig,
  });
  return new Map<string, Collection<Config>>([
    [meshServices, converted],
    [syntheticEntries, projected],
  ]);
}

function convert(graph: Graph, input: Inputs, domain: string): Collection<Config<MeshService>> {
  const workloads = workloadsByAddress(graph, collectionOf(pod, input), collectionOf(node, input));
  const slices = slicesByService(graph, collectionOf(endpointSlice, input), workloads);
  const objects = endpointSets(graph, collectionOf(endpoints, input), workloads);
  return graph.derive({
    name: "services/converted",
    from: collectionOf(service, input),
    reads: { slices, objects },
    key: (config: Config<MeshService>) => configKey(config),
    to: (config: Config<ServiceSpec>, reads, key) => {
      // Kubernetes writes both for every service. Endpoints are the older form and hold at most a thousand addresses.
      const listed = reads.slices.get(key) ?? asList(reads.objects.get(key));
      return [meshServiceOf(config, listed, domain)];
    },
    equals: isSameConfig,
  });
}

function asList<T>(value: T | undefined): readonly T[] | undefined {
  return value === undefined ? undefined : [value];
}
