import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type ServiceEndpoints, serviceKey } from "../../model/service/service.ts";
import { type ServicePeers, servicePeersOf } from "../../model/service/service-peers.ts";

/** Who answers for each service: of all its workloads, whatever state they are in, since a restart is not to change clusters. */
export function derivePeers(graph: Graph, listed: Collection<ServiceEndpoints>) {
  return graph.derive({
    name: "peers",
    from: listed,
    key: (peers: ServicePeers) => serviceKey(peers),
    to: (endpoints) => [servicePeersOf(endpoints)],
  });
}
