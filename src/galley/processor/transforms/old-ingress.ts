import type { IngressSpec } from "#gen/k8s/extensions/v1beta1/ingress_pb.js";
import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { oldIngress } from "../../../config/kinds/kubernetes.ts";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { inputCollection, type Transformer, type TransformerInputs } from "../transformer.ts";
import { gatewayCollection, virtualServiceCollection } from "./ingress/generated-config.ts";
import { distinctName, hostsByName } from "./ingress/host-names.ts";
import { hasOurAnnotation } from "./ingress/ingress-class.ts";
import { ingressSettingsOf } from "./ingress/ingress-settings.ts";
import { gatewayOfOldIngress } from "./ingress/old-gateway.ts";
import { hostRulesOf, type IngressHostRules, nameOfHost, virtualServiceOfHost } from "./ingress/old-virtual-service.ts";
import { currentFact, meshFact } from "./mesh-fact.ts";

type Ingress = Config<IngressSpec>;

/**
 * Converts Ingresses of the APIs before v1 by Galley's rules. Each Ingress makes a gateway. Each host makes a
 * VirtualService with the routes of all Ingresses that name it. All objects derive from the Ingresses that are ours
 * now. When an Ingress stops being ours, its objects and routes disappear.
 */
export function oldIngressTransformer(domain: string): Transformer {
  return {
    name: "old ingress",
    inputs: [oldIngress.collection, meshConfig.collection],
    outputs: [
      { collection: gatewayCollection, group: "default" },
      { collection: virtualServiceCollection, group: "default" },
    ],
    install: (graph, input) => {
      const ours = ourIngresses(graph, input);
      return new Map([
        [gatewayCollection, gatewaysOf(graph, ours)],
        [virtualServiceCollection, virtualServicesOf(graph, ours, domain)],
      ]);
    },
  };
}

function ourIngresses(graph: Graph, input: TransformerInputs): Collection<Ingress> {
  const settings = meshFact(graph, {
    name: "old ingress/settings",
    mesh: inputCollection(meshConfig, input),
    pick: ingressSettingsOf,
  });
  return graph.derive({
    name: "old ingress/ours",
    from: inputCollection(oldIngress, input),
    reads: { settings },
    key: (ingress: Ingress) => configKey(ingress),
    to: (ingress, reads) =>
      hasOurAnnotation(ingress, currentFact(reads.settings, ingressSettingsOf)) ? [ingress] : [],
    equals: isSameConfig,
  });
}

function gatewaysOf(graph: Graph, ours: Collection<Ingress>): Collection<Config> {
  const namesakes = graph.group({ name: "old ingress/by name", from: ours, keys: ({ name }) => [name] });
  return graph.derive({
    name: "old ingress/gateways",
    from: ours,
    reads: { namesakes },
    key: (gateway: Config) => configKey(gateway),
    to: (ingress, reads) => [gatewayOfOldIngress(ingress, (reads.namesakes.get(ingress.name) ?? []).length)],
    equals: isSameConfig,
  });
}

function virtualServicesOf(graph: Graph, ours: Collection<Ingress>, domain: string): Collection<Config> {
  const rules = graph.derive({
    name: "old ingress/rules",
    from: ours,
    // A space sorts before all characters of names, so the rules of a host keep the order of their Ingresses.
    key: ({ ingress, host }: IngressHostRules) => `${configKey(ingress)} ${host}`,
    to: (ingress) => hostRulesOf(ingress, domain),
    equals: (a, b) => isSameConfig(a.ingress, b.ingress),
  });
  const rulesByHost = graph.group({ name: "old ingress/rules by host", from: rules, keys: ({ host }) => [host] });
  const named = hostsByName(graph, { name: "old ingress/names", from: rulesByHost, nameOf: nameOfHost });
  return graph.derive({
    name: "old ingress/virtual services",
    from: rulesByHost,
    reads: { named },
    key: (virtualService: Config) => configKey(virtualService),
    to: (contributions, reads, host) => {
      const name = nameOfHost(contributions, host);
      return virtualServiceOfHost(host, contributions, distinctName(name, host, reads.named.get(name)));
    },
    equals: isSameConfig,
  });
}
