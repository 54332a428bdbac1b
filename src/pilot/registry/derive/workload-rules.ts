import type { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import type { Gateway } from "../../model/gateway/gateway.ts";
import type { PeerAuthentication } from "../../model/mtls/peer-authentication.ts";
import type { Sidecar } from "../../model/scope/sidecar.ts";
import { type GatewaySettings, gatewayOf } from "../gateway/gateway.ts";
import type { EnvironmentSettings, Inputs } from "../inputs.ts";
import { peerAuthenticationOf } from "../peer-authentication.ts";
import { sidecarOf } from "../sidecar.ts";

/** Gateways: each serves ports of the routers that it selects. */
export function deriveGateways(graph: Graph, inputs: Inputs, settings: GatewaySettings) {
  return graph.derive({
    name: "gateways",
    from: inputs.gateways,
    key: (gateway: Gateway) => configKey(gateway),
    to: (config) => [gatewayOf(config, settings)],
  });
}

/** Sidecars: each narrows the scope of the workloads that it selects. */
export function deriveSidecars(graph: Graph, inputs: Inputs, { domain }: EnvironmentSettings) {
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

/** PeerAuthentications: each sets the mTLS mode of the workloads that it selects. */
export function derivePeerAuthentications(graph: Graph, inputs: Inputs) {
  const peerAuthentications = graph.derive({
    name: "peer authentications",
    from: inputs.peerAuthentications,
    key: (policy: PeerAuthentication) => configKey(policy),
    to: (config) => [peerAuthenticationOf(config)],
  });
  const peerAuthenticationsByNamespace = graph.group({
    name: "peer authentications by namespace",
    from: peerAuthentications,
    keys: ({ namespace }) => [namespace],
  });
  return { peerAuthentications, peerAuthenticationsByNamespace };
}
