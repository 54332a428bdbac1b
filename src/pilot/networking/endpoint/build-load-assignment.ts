import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { isIpAddress } from "../../../config/address.ts";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { DestinationRule, Subset } from "../../model/destination-rule.ts";
import type { Resource } from "../../model/resource.ts";
import type { Endpoint, Port, Service, ServiceEndpoints } from "../../model/service.ts";
import { unixPath } from "../../model/unix-path.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import { makeResource } from "../make-resource.ts";
import { keepsSessions } from "./keeps-sessions.ts";
import { localitiesOf } from "./localities.ts";
import { markEndpoints } from "./mark-endpoints.ts";
import { selectEndpoints } from "./select-endpoints.ts";

/** All that a load assignment depends on. */
export interface LoadAssignmentInputs {
  readonly service: Service;
  readonly port: Port;
  readonly endpoints: ServiceEndpoints | undefined;
  readonly rule: DestinationRule | undefined;
  readonly subset: Subset | undefined;
}

const built = new Memo<Resource>();
const absent = {};

export function buildLoadAssignment(inputs: LoadAssignmentInputs, writer: ProtoWriter): Resource {
  const { service, port, endpoints, rule, subset } = inputs;
  const id = `${port.number}|${subset?.name ?? ""}`;
  return built.get([service, endpoints ?? absent, rule ?? absent, writer], id, () => {
    const name = clusterName(port.number, subset?.name ?? "", service.hostname);
    const drains = !keepsSessions(service);
    const reachable = selectEndpoints(endpoints, port, subset).filter(
      (endpoint) => isReachable(endpoint) && !(drains && isDraining(endpoint)),
    );
    const localities = localitiesOf(markEndpoints(reachable, rule, subset, port.number), writer);
    return makeResource({
      name,
      any: writer.any(ClusterLoadAssignmentSchema, { clusterName: name, endpoints: localities }),
      owners: [service.owner, ...(endpoints?.owners ?? []), ...(rule?.owners ?? [])],
    });
  });
}

/** The answer for a cluster we do not know: without one Envoy would wait for ever. */
export function emptyLoadAssignment(name: string, writer: ProtoWriter): Resource {
  return makeResource({ name, any: writer.any(ClusterLoadAssignmentSchema, { clusterName: name }), owners: [] });
}

/** About to go away: nothing new is sent there. */
function isDraining({ labels }: Endpoint): boolean {
  return (labels["istio.io/draining"] ?? "") !== "";
}

/** EDS carries addresses; names are for clusters that resolve them. */
function isReachable({ address }: Endpoint): boolean {
  return isIpAddress(address) || unixPath(address) !== undefined;
}
