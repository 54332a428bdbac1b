import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { MtlsRefusals } from "../../model/mtls/mtls-refusals.ts";
import type { Networks } from "../../model/place/networks.ts";
import type { Standpoint } from "../../model/place/standpoint.ts";
import {
  type Endpoint,
  keepsSessions,
  type Port,
  type Service,
  type ServiceEndpoints,
} from "../../model/service/service.ts";
import type { DestinationRule, Subset } from "../../model/traffic/destination-rule.ts";
import { effectivePolicy } from "../cluster/traffic-policy.ts";
import { type EndpointGroup, groupByLocality } from "./endpoint-group.ts";
import { isDraining } from "./lb-endpoint.ts";
import { nearnessOf, standpointId } from "./locality-policy.ts";
import { markEndpoints } from "./mark-endpoints.ts";
import { placeEndpoints } from "./place-endpoints.ts";
import { selectEndpoints } from "./select-endpoints.ts";
import { throughGateways } from "./through-gateways.ts";

/** All that the endpoints of a cluster depend on, whether they stand in it or are sent apart. */
export interface AssignmentInputs {
  readonly service: Service;
  readonly port: Port;
  readonly endpoints: ServiceEndpoints | undefined;
  readonly rule: DestinationRule | undefined;
  /** Of the rule. */
  readonly subset: Subset | undefined;
  readonly mesh: MeshSettings;
  readonly networks: Networks;
  readonly refusals: MtlsRefusals | undefined;
  readonly standpoint: Standpoint;
  /** For a cluster that passes the mesh's TLS on unopened: only those that speak it can be meant. */
  readonly unopened?: boolean;
}

const absent = {};

/** The objects and the text by which what was built of some inputs is found again; see {@link Memo}. */
export function assignmentKey(inputs: AssignmentInputs): { readonly objects: readonly object[]; readonly id: string } {
  const { service, port, endpoints, rule, subset, mesh, networks, refusals, standpoint, unopened = false } = inputs;
  const nearness = nearnessOf(effectivePolicy(rule, subset, port.number, mesh), service, mesh);
  return {
    objects: [service, endpoints ?? absent, rule ?? absent, mesh, networks, refusals ?? absent],
    id: `${port.number}|${subset?.name ?? ""}|${unopened} ${standpointId(standpoint, nearness, service)}`,
  };
}

/** The endpoints that clients at a standpoint may call, in groups, as they are to use them. */
export function assignedGroups(
  inputs: AssignmentInputs,
  isUsable: (endpoint: Endpoint) => boolean,
): readonly EndpointGroup[] {
  const { service, port, endpoints, rule, subset, mesh, networks, refusals, standpoint, unopened } = inputs;
  const offered = selectEndpoints(endpoints, port, subset).filter(
    (endpoint) => isUsable(endpoint) && isOffered(endpoint, service, standpoint),
  );
  const marked = markEndpoints(offered, { rule, subset, port: port.number, refusals });
  const speaking = unopened ? marked.filter(({ tlsMode }) => tlsMode === "istio") : marked;
  const reached = throughGateways(groupByLocality(speaking), networks, standpoint).filter(
    (group) => group.endpoints.length > 0,
  );
  const policy = effectivePolicy(rule, subset, port.number, mesh);
  return placeEndpoints(reached, nearnessOf(policy, service, mesh), standpoint);
}

function isOffered(endpoint: Endpoint, service: Service, { node, networkView }: Standpoint): boolean {
  if (isDraining(endpoint) && !keepsSessions(service)) return false;
  if (service.nodeLocal && endpoint.node !== node) return false;
  return networkView.length === 0 || networkView.includes(endpoint.network);
}
