import type { ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { IngressSpec } from "#gen/k8s/networking/v1/ingress_pb.js";
import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { ingress, ingressClass, service } from "../../../config/kinds/kubernetes.ts";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { inputCollection, type Transformer, type TransformerInputs } from "../transformer.ts";
import { gatewayCollection, virtualServiceCollection } from "./ingress/generated-config.ts";
import { distinctName, hostsByName } from "./ingress/host-names.ts";
import { isOurs } from "./ingress/ingress-class.ts";
import { gatewayOfIngress } from "./ingress/ingress-gateway-config.ts";
import { type IngressSettings, ingressSettingsOf } from "./ingress/ingress-settings.ts";
import {
  keyOfRule,
  keyOfVirtualService,
  rulesOf,
  type ServicePorts,
  virtualServiceOfRules,
} from "./ingress/ingress-virtual-service.ts";
import { currentFact, meshFact } from "./mesh-fact.ts";

type Ingress = Config<IngressSpec>;

/**
 * Converts Ingresses of networking.k8s.io/v1 as istiod does today. Each Ingress makes a gateway. Each host makes a
 * VirtualService with the rules of all Ingresses, in the order that Kubernetes requires.
 */
export function ingressTransformer(domain: string): Transformer {
  return {
    name: "ingress",
    inputs: [ingress, ingressClass, service, meshConfig].map(({ collection }) => collection),
    outputs: [
      { collection: gatewayCollection, group: "default" },
      { collection: virtualServiceCollection, group: "default" },
    ],
    install: (graph, input) => {
      const mesh = inputCollection(meshConfig, input);
      const settings = meshFact(graph, { name: "ingress/settings", mesh, pick: ingressSettingsOf });
      const ours = ourIngresses(graph, input, settings);
      return new Map([
        [gatewayCollection, gatewaysOf(graph, ours, settings)],
        [
          virtualServiceCollection,
          virtualServicesOf(graph, ours, portsOf(graph, inputCollection(service, input)), domain),
        ],
      ]);
    },
  };
}

function ourIngresses(
  graph: Graph,
  input: TransformerInputs,
  settings: Collection<IngressSettings>,
): Collection<Ingress> {
  return graph.derive({
    name: "ingress/ours",
    from: inputCollection(ingress, input),
    reads: { settings, classes: inputCollection(ingressClass, input) },
    key: (each: Ingress) => configKey(each),
    to: (each, reads) => (isOurs(each, currentFact(reads.settings, ingressSettingsOf), reads.classes) ? [each] : []),
    equals: isSameConfig,
  });
}

function gatewaysOf(
  graph: Graph,
  ours: Collection<Ingress>,
  settings: Collection<IngressSettings>,
): Collection<Config> {
  return graph.derive({
    name: "ingress/gateways",
    from: ours,
    reads: { settings },
    key: (gateway: Config) => configKey(gateway),
    to: (each, reads) => [gatewayOfIngress(each, currentFact(reads.settings, ingressSettingsOf).selector)],
    equals: isSameConfig,
  });
}

/** The only facts of services that Ingresses need. */
function portsOf(graph: Graph, services: Collection<Config<ServiceSpec>>): Collection<ServicePorts> {
  return graph.derive({
    name: "ingress/ports of services",
    from: services,
    key: ({ service: key }: ServicePorts) => key,
    to: ({ spec }, _reads, key) => [
      // If two ports share a name, the first must win. The last entry wins here, hence the reversed order.
      { service: key, numbers: Object.fromEntries(spec.ports.toReversed().map(({ name, port }) => [name, port])) },
    ],
  });
}

function virtualServicesOf(
  graph: Graph,
  ours: Collection<Ingress>,
  ports: Collection<ServicePorts>,
  domain: string,
): Collection<Config> {
  const rules = graph.derive({
    name: "ingress/rules",
    from: ours,
    key: keyOfRule,
    to: rulesOf,
    equals: (a, b) => isSameConfig(a.ingress, b.ingress),
  });
  const rulesByHost = graph.group({ name: "ingress/rules by host", from: rules, keys: ({ host }) => [host] });
  const named = hostsByName(graph, { name: "ingress/names", from: rulesByHost, nameOf: keyOfVirtualService });
  return graph.derive({
    name: "ingress/virtual services",
    from: rulesByHost,
    reads: { named, ports },
    key: (virtualService: Config) => configKey(virtualService),
    to: (each, reads, host) => {
      const key = keyOfVirtualService(each, host);
      return virtualServiceOfRules(each, {
        key: distinctName(key, host, reads.named.get(key)),
        host,
        domain,
        ports: reads.ports,
      });
    },
    equals: isSameConfig,
  });
}
