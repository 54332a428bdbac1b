import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import type { ServiceEndpoints } from "../../model/service/service.ts";
import type { ServiceInstance } from "../../model/service/service-instance.ts";

/** Service instances by address. Endpoints are handled one by one, so that a change affects only its own address. */
export function deriveInstances(graph: Graph, endpoints: Collection<ServiceEndpoints>) {
  const instances = graph.derive({
    name: "instances",
    from: endpoints,
    key: ({ service, endpoint }: ServiceInstance) =>
      `${service} ${endpoint.servicePortName} ${endpoint.address} ${endpoint.port}`,
    to: (all, _reads, service) => all.endpoints.map((endpoint) => ({ service, endpoint })),
  });
  return graph.group({ name: "instances by address", from: instances, keys: ({ endpoint }) => [endpoint.address] });
}
