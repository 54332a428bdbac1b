import type { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import type { PeerAuthentication } from "../../model/mtls/peer-authentication.ts";
import type { Inputs } from "../inputs.ts";
import { peerAuthenticationOf } from "../peer-authentication.ts";

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
