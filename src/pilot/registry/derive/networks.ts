import type { Graph } from "../../../collection/graph.ts";
import { type NetworkGateway, networkGatewayKey } from "../../model/networks.ts";
import type { Inputs } from "../inputs.ts";
import { networkGatewaysOf, networkRulesOf } from "../networks.ts";

/** The key of the rules in their collection. */
export const NETWORK_RULES_KEY = "rules";

/** The ways between networks, and what tells in which an endpoint is. */
export function deriveNetworks(graph: Graph, inputs: Inputs) {
  const networkRules = graph.derive({
    name: "network rules",
    from: inputs.meshNetworks,
    key: () => NETWORK_RULES_KEY,
    to: ({ spec }) => [networkRulesOf(spec)],
  });
  const networkGateways = graph.derive({
    name: "network gateways",
    from: inputs.meshNetworks,
    key: (gateway: NetworkGateway) => networkGatewayKey(gateway),
    to: ({ spec }) => networkGatewaysOf(spec),
  });
  return { networkRules, networkGateways };
}
