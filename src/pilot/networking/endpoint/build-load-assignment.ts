import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { isIpAddress } from "../../../config/grammar/address.ts";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import { type Endpoint, unixPath } from "../../model/service/service.ts";
import { serviceClusterName } from "../cluster/cluster-name.ts";
import { makeResource } from "../make-resource.ts";
import {
  type AssignmentFacts,
  type AssignmentHeld,
  type AssignmentInputs,
  assignedGroups,
  assignmentFacts,
  assignmentHeld,
  assignmentInputs,
} from "./assigned-groups.ts";
import { encodeGroups } from "./endpoint-group.ts";

/** The endpoints of one cluster for Envoys. Equal inputs give the same object. */
export function buildLoadAssignment(inputs: AssignmentInputs, writer: ProtoWriter): Resource {
  return buildAssignment([writer, ...assignmentHeld(inputs)], assignmentFacts(inputs));
}

const buildAssignment = memoize(
  ([writer, ...held]: readonly [ProtoWriter, ...AssignmentHeld], facts: AssignmentFacts): Resource => {
    const inputs = assignmentInputs(held, facts);
    const { service, port, endpoints, rule, subset, sniDnat = false } = inputs;
    const name = serviceClusterName(service, port, subset, sniDnat);
    const localities = encodeGroups(assignedGroups(inputs, isReachable), writer);
    return makeResource({
      name,
      any: writer.any(ClusterLoadAssignmentSchema, { clusterName: name, endpoints: localities }),
      owners: [service.owner, ...(endpoints?.owners ?? []), ...(rule?.owners ?? [])],
    });
  },
);

/** The answer for a cluster we do not know: without one Envoy would wait for ever. */
export function emptyLoadAssignment(name: string, writer: ProtoWriter): Resource {
  return makeResource({ name, any: writer.any(ClusterLoadAssignmentSchema, { clusterName: name }), owners: [] });
}

/**
 * EDS carries IP addresses; hostnames are for clusters that resolve them. An endpoint without an address may be behind
 * a gateway.
 */
function isReachable({ address, network }: Endpoint): boolean {
  return isIpAddress(address) || unixPath(address) !== undefined || (address === "" && network !== "");
}
