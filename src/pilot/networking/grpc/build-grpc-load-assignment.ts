import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { isIpAddress } from "../../../config/address.ts";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import type { Endpoint } from "../../model/service.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import type { LoadAssignmentInputs } from "../endpoint/build-load-assignment.ts";
import { weightOf } from "../endpoint/lb-endpoint.ts";
import { localitiesOf } from "../endpoint/localities.ts";
import { selectEndpoints } from "../endpoint/select-endpoints.ts";
import { makeResource } from "../make-resource.ts";

const maxWeight = 0xff_ff_ff_ff;
const built = new Memo<Resource>();
const absent = {};

/**
 * As for Envoys, but each address once, no unix sockets, and weights whose sum fits 32 bits: a client rejects the whole
 * assignment for one of those.
 */
export function buildGrpcLoadAssignment(inputs: LoadAssignmentInputs, writer: ProtoWriter): Resource {
  const { service, port, endpoints, rule, subset } = inputs;
  const id = `${port.number}|${subset?.name ?? ""}`;
  return built.get([service, endpoints ?? absent, rule ?? absent, writer], id, () => {
    const name = clusterName(port.number, subset?.name ?? "", service.hostname);
    const reachable = selectEndpoints(endpoints, port, subset).filter(({ address }) => isIpAddress(address));
    return makeResource({
      name,
      any: writer.any(ClusterLoadAssignmentSchema, {
        clusterName: name,
        endpoints: localitiesOf(scaled(uniqueByAddress(reachable)), writer),
      }),
      owners: [service.owner, ...(endpoints?.owners ?? []), ...(rule?.owners ?? [])],
    });
  });
}

function uniqueByAddress(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const byAddress = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const key = `${endpoint.address} ${endpoint.port}`;
    if (!byAddress.has(key)) byAddress.set(key, endpoint);
  }
  return [...byAddress.values()];
}

/** In proportion, as far as whole numbers allow; everybody keeps at least 1. */
function scaled(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const total = endpoints.reduce((sum, endpoint) => sum + weightOf(endpoint), 0);
  if (total <= maxWeight) return endpoints;
  const factor = (maxWeight - endpoints.length) / total;
  return endpoints.map((endpoint) => ({ ...endpoint, weight: Math.floor(endpoint.weight * factor) }));
}
