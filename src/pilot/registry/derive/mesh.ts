import type { Graph } from "../../../collection/graph.ts";
import { type NetworkGateway, networkGatewayKey } from "../../model/location/networks.ts";
import { MESH_KEY } from "../../model/mesh-settings.ts";
import type { EnvironmentSettings, Inputs } from "../inputs.ts";
import { meshSettingsOf } from "../mesh/mesh-settings.ts";
import { networkGatewaysOf, networkRulesOf, serviceGatewaysOf } from "../mesh/networks.ts";

/** The mesh settings: one entry, or none without a MeshConfig. */
export function deriveMesh(graph: Graph, inputs: Inputs) {
  return graph.derive({
    name: "mesh",
    from: inputs.mesh,
    key: () => MESH_KEY,
    to: ({ spec }) => [meshSettingsOf(spec)],
  });
}

/** The key of the rules in their collection. */
export const NETWORK_RULES_KEY = "rules";

/** The gateways between networks, and the rules that assign endpoints to networks. */
export function deriveNetworks(graph: Graph, inputs: Inputs, { clusterId }: EnvironmentSettings) {
  const networkRules = graph.derive({
    name: "network rules",
    from: inputs.meshNetworks,
    key: () => NETWORK_RULES_KEY,
    to: ({ spec }) => [networkRulesOf(spec)],
  });
  const servicesByHost = graph.group({
    name: "cluster services by host",
    from: inputs.meshServices,
    keys: ({ spec }) => [spec.hostname],
  });
  const named = graph.derive({
    name: "gateways of mesh networks",
    from: inputs.meshNetworks,
    reads: { servicesByHost },
    key: (gateway: NetworkGateway) => networkGatewayKey(gateway),
    to: ({ spec }, reads) =>
      networkGatewaysOf(spec, (hostname) => (reads.servicesByHost.get(hostname) ?? []).map((config) => config.spec)),
  });
  const labelled = graph.derive({
    name: "gateways of labelled services",
    from: inputs.meshServices,
    key: (gateway: NetworkGateway) => networkGatewayKey(gateway),
    to: (config) => serviceGatewaysOf(config, clusterId),
  });
  return { networkRules, networkGateways: graph.union({ name: "network gateways", parts: [named, labelled] }) };
}
