import type { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import type { Gateway } from "../../model/gateway/gateway.ts";
import { type GatewaySettings, gatewayOf } from "../gateway/gateway.ts";
import type { Inputs } from "../inputs.ts";

export function deriveGateways(graph: Graph, inputs: Inputs, settings: GatewaySettings) {
  return graph.derive({
    name: "gateways",
    from: inputs.gateways,
    key: (gateway: Gateway) => configKey(gateway),
    to: (config) => [gatewayOf(config, settings)],
  });
}
