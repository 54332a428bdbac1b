import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { isIpAddress } from "../../../config/grammar/address.ts";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import type { Endpoint } from "../../model/service/service.ts";
import { unixPath } from "../../model/service/unix-path.ts";
import { serviceClusterName } from "../cluster/cluster-name.ts";
import { makeResource } from "../make-resource.ts";
import { type AssignmentInputs, assignedGroups, assignmentKey } from "./assigned-groups.ts";
import { encodeGroups } from "./endpoint-group.ts";

const built = new Memo<Resource>();

/** The endpoints of one cluster for Envoys. Equal inputs give the same object. */
export function buildLoadAssignment(inputs: AssignmentInputs, writer: ProtoWriter): Resource {
  const { objects, id } = assignmentKey(inputs);
  return built.get([...objects, writer], id, () => {
    const { service, port, endpoints, rule, subset, unopened = false } = inputs;
    const name = serviceClusterName(service, port, subset, unopened);
    const localities = encodeGroups(assignedGroups(inputs, isReachable), writer);
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

/** EDS carries addresses; names are for clusters that resolve them. Who has no address may be behind a gateway. */
function isReachable({ address, network }: Endpoint): boolean {
  return isIpAddress(address) || unixPath(address) !== undefined || (address === "" && network !== "");
}
