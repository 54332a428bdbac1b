import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { isIpAddress } from "../../../config/address.ts";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { DestinationRule, Subset } from "../../model/destination-rule.ts";
import type { Resource } from "../../model/resource.ts";
import type { Endpoint, Port, Service, ServiceEndpoints } from "../../model/service.ts";
import { unixPath } from "../../model/unix-path.ts";
import { serviceClusterName } from "../cluster/cluster-name.ts";
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
  /** For a cluster that passes the mesh's TLS on unopened: only those that speak it can be meant. */
  readonly unopened?: boolean;
}

const built = new Memo<Resource>();
const absent = {};

export function buildLoadAssignment(inputs: LoadAssignmentInputs, writer: ProtoWriter): Resource {
  const { service, port, endpoints, rule, subset, unopened = false } = inputs;
  const name = serviceClusterName(service, port, subset, unopened);
  return built.get([service, endpoints ?? absent, rule ?? absent, writer], name, () => {
    const drains = !keepsSessions(service);
    const reachable = selectEndpoints(endpoints, port, subset).filter(
      (endpoint) => isReachable(endpoint) && !(drains && isDraining(endpoint)),
    );
    const marked = markEndpoints(reachable, rule, subset, port.number);
    const localities = localitiesOf(unopened ? marked.filter(({ tlsMode }) => tlsMode === "istio") : marked, writer);
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
