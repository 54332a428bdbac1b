import type { ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { endpointSlice, endpoints, namespace, node, pod, service } from "../../../config/kinds/kubernetes.ts";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import {
  type MeshService,
  meshServices,
  receivedServices,
  syntheticEntries,
} from "../../../config/mesh/mesh-service.ts";
import { inputCollection, type Transformer, type TransformerInputs } from "../transformer.ts";
import { currentFact, meshFact } from "./mesh-fact.ts";
import { discoverySelectors, isDiscovered } from "./services/discovery-selectors.ts";
import { endpointSets, slicesByService } from "./services/endpoint-sets.ts";
import { meshServiceOf } from "./services/mesh-service-of.ts";
import { workloadsByAddress } from "./services/pod-workloads.ts";
import { meshTrustDomain, syntheticEntryOf } from "./services/synthetic-entry.ts";

const group = "syntheticServiceEntry";
const outputs = [
  { collection: meshServices, group },
  { collection: syntheticEntries, group },
] as const;

/**
 * The only conversion of Kubernetes services, with their endpoints, pods and nodes. Pilot uses the result directly. For
 * MCP, the result is projected to the synthetic ServiceEntries that MCP consumers know.
 */
export function serviceTransformer(domain: string): Transformer {
  const name = "services";
  return {
    name,
    inputs: [service, endpoints, endpointSlice, pod, node, namespace, meshConfig].map(({ collection }) => collection),
    outputs,
    install: (graph, input) => withEntries({ graph, name, input, converted: convert(graph, input, domain) }),
  };
}

/**
 * Services that another Galley has already converted. They pass unchanged, and get synthetic entries like local ones.
 */
export function receivedServiceTransformer(): Transformer {
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
  readonly input: TransformerInputs;
  readonly converted: Collection<Config<MeshService>>;
}

function withEntries({ graph, name, input, converted }: Conversion): ReadonlyMap<string, Collection<Config>> {
  const trustDomains = meshFact(graph, {
    name: `${name}/trust domain`,
    mesh: inputCollection(meshConfig, input),
    pick: meshTrustDomain,
  });
  const projected = graph.derive({
    name: `${name}/synthetic entries`,
    from: converted,
    reads: { trustDomains },
    key: (entry: Config) => configKey(entry),
    to: (config, reads) => [syntheticEntryOf(config, currentFact(reads.trustDomains, meshTrustDomain))],
    equals: isSameConfig,
  });
  return new Map<string, Collection<Config>>([
    [meshServices, converted],
    [syntheticEntries, projected],
  ]);
}

function convert(graph: Graph, input: TransformerInputs, domain: string): Collection<Config<MeshService>> {
  const workloads = workloadsByAddress(graph, inputCollection(pod, input), inputCollection(node, input));
  const slices = slicesByService(graph, inputCollection(endpointSlice, input), workloads);
  const objects = endpointSets(graph, inputCollection(endpoints, input), workloads);
  const selectors = meshFact(graph, {
    name: "services/discovery selectors",
    mesh: inputCollection(meshConfig, input),
    pick: discoverySelectors,
  });
  return graph.derive({
    name: "services/converted",
    from: inputCollection(service, input),
    reads: { slices, objects, selectors, namespaces: inputCollection(namespace, input) },
    key: (config: Config<MeshService>) => configKey(config),
    to: (config: Config<ServiceSpec>, reads, key) => {
      if (!isDiscovered(config.namespace, currentFact(reads.selectors, discoverySelectors), reads.namespaces))
        return [];
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
