import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Config, configKey } from "../../../config/config.ts";
import type { Extension } from "../../model/policy/extension.ts";
import type { ExtensionProvider } from "../../model/policy/extension-provider.ts";
import type { WorkloadPolicy } from "../../model/policy/workload-policy.ts";
import type { Service } from "../../model/service/service.ts";
import type { Inputs } from "../inputs.ts";
import { authorizationPolicyOf } from "../policy/authorization-policy.ts";
import { envoyFilterOf } from "../policy/envoy-filter.ts";
import { trafficExtensionsOf, wasmPluginOf } from "../policy/extension.ts";
import { extensionProvidersOf } from "../policy/extension-provider.ts";
import { proxyConfigOf } from "../policy/proxy-config.ts";
import { telemetryOf } from "../policy/telemetry.ts";
import { deriveRequestAuthentications } from "./request-authentications.ts";

/** The policies of workloads, each by itself and by namespace. */
export function derivePolicies(graph: Graph, inputs: Inputs) {
  const authorizationPolicies = derive(graph, inputs.authorizationPolicies, authorizationPolicyOf);
  const requestAuthentications = deriveRequestAuthentications(graph, inputs);
  const telemetries = derive(graph, inputs.telemetries, telemetryOf);
  const proxyConfigs = derive(graph, inputs.proxyConfigs, proxyConfigOf);
  const envoyFilters = derive(graph, inputs.envoyFilters, envoyFilterOf);
  const extensions = deriveExtensions(graph, inputs);
  return {
    authorizationPolicies,
    authorizationPoliciesByNamespace: byNamespace(graph, authorizationPolicies),
    requestAuthentications,
    requestAuthenticationsByNamespace: byNamespace(graph, requestAuthentications),
    telemetries,
    telemetriesByNamespace: byNamespace(graph, telemetries),
    proxyConfigs,
    proxyConfigsByNamespace: byNamespace(graph, proxyConfigs),
    envoyFilters,
    envoyFiltersByNamespace: byNamespace(graph, envoyFilters),
    extensions,
    extensionsByNamespace: byNamespace(graph, extensions),
  };
}

function derive<S, P extends WorkloadPolicy>(
  graph: Graph,
  from: Collection<Config<S>>,
  policyOf: (config: Config<S>) => P,
): Collection<P> {
  return graph.derive({
    name: `policies of ${from.name}`,
    from,
    key: (policy: P) => configKey(policy),
    to: (config) => [policyOf(config)],
  });
}

function byNamespace<P extends WorkloadPolicy>(graph: Graph, from: Collection<P>): Collection<readonly P[]> {
  return graph.group({ name: `${from.name} by namespace`, from, keys: ({ namespace }) => [namespace] });
}

const key = ({ owner }: Extension) => owner;

/** Two kinds in one collection. Their keys contain the kind, because both may have an object of the same name. */
function deriveExtensions(graph: Graph, inputs: Inputs): Collection<Extension> {
  return graph.union<Extension>({
    name: "extensions",
    parts: [
      graph.derive({ name: "Wasm plugins", from: inputs.wasmPlugins, key, to: (config) => [wasmPluginOf(config)] }),
      graph.derive({
        name: "traffic extensions",
        from: inputs.trafficExtensions,
        key,
        to: trafficExtensionsOf,
      }),
    ],
  });
}

/** The extension providers of the MeshConfig, by name. */
export function deriveExtensionProviders(graph: Graph, inputs: Inputs, services: Collection<Service>) {
  const servicesByHost = graph.group({
    name: "services by host",
    from: services,
    keys: ({ hostname }) => [hostname],
  });
  return graph.derive({
    name: "extension providers",
    from: inputs.mesh,
    reads: { servicesByHost },
    key: ({ name }: ExtensionProvider) => name,
    to: ({ spec }, reads) => extensionProvidersOf(spec, (hostname) => reads.servicesByHost.get(hostname) ?? []),
  });
}
