import { endpointLabel } from "../../model/location/locality.ts";
import type { Endpoint, Port, ServiceEndpoints } from "../../model/service/service.ts";
import type { Subset } from "../../model/traffic/destination-rule.ts";

/** The endpoints that serve a port, and a subset if one is given; a subset without labels has them all. */
export function selectEndpoints(
  endpoints: ServiceEndpoints | undefined,
  port: Port,
  subset: Subset | undefined,
): readonly Endpoint[] {
  if (endpoints === undefined) return [];
  const wanted = Object.entries(subset?.labels ?? {});
  return endpoints.endpoints.filter(
    (endpoint) =>
      endpoint.servicePortName === port.name &&
      wanted.every(([name, value]) => endpointLabel(endpoint, name) === value),
  );
}
