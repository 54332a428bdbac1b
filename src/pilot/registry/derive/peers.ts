import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type ServiceEndpoints, serviceKey } from "../../model/service/service.ts";
import { type ServicePeers, servicePeersOf } from "../../model/service/service-peers.ts";

/**
 * Identity facts of each service. All its workloads count, in any state, so that a restart does not change clusters.
 */
export function derivePeers(graph: Graph, listed: Collection<ServiceEndpoints>) {
  return graph.derive({
    name: "peers",
    from: listed,
    key: (peers: ServicePeers) => serviceKey(peers),
    to: (endpoints) => [servicePeersOf(endpoints)],
  });
}
