import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { isIpAddress } from "../../../config/grammar/address.ts";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import {
  type AssignmentFacts,
  type AssignmentHeld,
  type AssignmentInputs,
  assignedGroups,
  assignmentFacts,
  assignmentHeld,
  assignmentInputs,
} from "../endpoint/assigned-groups.ts";
import { type EndpointGroup, encodeGroups, totalWeight } from "../endpoint/endpoint-group.ts";
import { makeResource } from "../make-resource.ts";

/**
 * As for Envoys, but each address occurs once, without unix sockets, and the sum of weights fits 32 bits. A client
 * rejects the whole assignment otherwise.
 */
export function buildGrpcLoadAssignment(inputs: AssignmentInputs, writer: ProtoWriter): Resource {
  return buildAssignment([writer, ...assignmentHeld(inputs)], assignmentFacts(inputs));
}

const buildAssignment = memoize(
  ([writer, ...held]: readonly [ProtoWriter, ...AssignmentHeld], facts: AssignmentFacts): Resource => {
    const inputs = assignmentInputs(held, facts);
    const { service, port, endpoints, rule, subset } = inputs;
    const name = clusterName(port.number, subset?.name ?? "", service.hostname);
    const groups = assignedGroups(inputs, ({ address }) => isIpAddress(address));
    return makeResource({
      name,
      any: writer.any(ClusterLoadAssignmentSchema, {
        clusterName: name,
        endpoints: encodeGroups(withUniqueAddresses(groups), writer),
      }),
      owners: [service.owner, ...(endpoints?.owners ?? []), ...(rule?.owners ?? [])],
    });
  },
);

function withUniqueAddresses(groups: readonly EndpointGroup[]): readonly EndpointGroup[] {
  const seen = new Set<string>();
  return groups.flatMap((group) => {
    const endpoints = group.endpoints.filter(({ address, port }) => {
      const key = `${address} ${port}`;
      return !seen.has(key) && seen.add(key);
    });
    if (endpoints.length === 0) return [];
    if (endpoints.length === group.endpoints.length) return [group];
    return [{ ...group, endpoints, weight: totalWeight(endpoints) }];
  });
}
