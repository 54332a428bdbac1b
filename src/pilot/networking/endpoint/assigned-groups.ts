import type { Networks } from "../../model/location/networks.ts";
import type { ProxyLocation } from "../../model/location/proxy-location.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { MtlsRefusals } from "../../model/mtls/mtls-refusals.ts";
import { isClusterLocal } from "../../model/service/cluster-local.ts";
import {
  type Endpoint,
  keepsSessions,
  type Port,
  type Service,
  type ServiceEndpoints,
} from "../../model/service/service.ts";
import type { DestinationRule, Subset } from "../../model/traffic/destination-rule.ts";
import { effectivePolicy } from "../cluster/traffic-policy.ts";
import { applyLocalityPolicy } from "./apply-locality-policy.ts";
import { type EndpointGroup, groupByLocality } from "./endpoint-group.ts";
import { isDraining } from "./lb-endpoint.ts";
import { localitySettingOf, relevantLocation } from "./locality-policy.ts";
import { selectEndpoints } from "./select-endpoints.ts";
import { setTlsModes } from "./set-tls-modes.ts";
import { throughGateways } from "./through-gateways.ts";

/** All inputs of a cluster's endpoints, both inside the cluster and in EDS. */
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
  readonly location: ProxyLocation;
  /** For a cluster with mesh mTLS passthrough: only endpoints with mesh mTLS are valid. */
  readonly sniDnat?: boolean;
}

/** The inputs that a memo compares by identity; see {@link assignmentHeld}. */
export type AssignmentHeld = readonly [
  Service,
  Port,
  AssignmentInputs["endpoints"],
  AssignmentInputs["rule"],
  AssignmentInputs["subset"],
  MeshSettings,
  Networks,
  AssignmentInputs["refusals"],
];

/** The inputs that a memo compares by content. */
export type AssignmentFacts = Pick<AssignmentInputs, "location" | "sniDnat">;

export function assignmentHeld(inputs: AssignmentInputs): AssignmentHeld {
  const { service, port, endpoints, rule, subset, mesh, networks, refusals } = inputs;
  return [service, port, endpoints, rule, subset, mesh, networks, refusals];
}

/** The facts of the location that the endpoints depend on, so that clients with equal facts share them. */
export function assignmentFacts(inputs: AssignmentInputs): AssignmentFacts {
  const { service, port, rule, subset, mesh, location, sniDnat = false } = inputs;
  const localitySetting = localitySettingOf(effectivePolicy(rule, subset, port.number, mesh), service, mesh);
  const scope = { nodeLocal: service.nodeLocal, clusterLocal: isClusterLocal(service, mesh) };
  return { location: relevantLocation(location, localitySetting, scope), sniDnat };
}

/** The inverse of {@link assignmentHeld} and {@link assignmentFacts}. */
export function assignmentInputs(held: AssignmentHeld, facts: AssignmentFacts): AssignmentInputs {
  const [service, port, endpoints, rule, subset, mesh, networks, refusals] = held;
  return { service, port, endpoints, rule, subset, mesh, networks, refusals, ...facts };
}

/** The endpoints that clients at a location may call, in groups with priorities and weights. */
export function assignedGroups(
  inputs: AssignmentInputs,
  isUsable: (endpoint: Endpoint) => boolean,
): readonly EndpointGroup[] {
  const { service, port, endpoints, rule, subset, mesh, networks, refusals, location, sniDnat } = inputs;
  const offered = selectEndpoints(endpoints, port, subset).filter(
    (endpoint) => isUsable(endpoint) && isOffered(endpoint, service, location),
  );
  const marked = setTlsModes(offered, { rule, subset, port: port.number, refusals });
  const speaking = sniDnat ? marked.filter(({ tlsMode }) => tlsMode === "istio") : marked;
  const reached = throughGateways(groupByLocality(speaking), networks, location).filter(
    (group) => group.endpoints.length > 0,
  );
  const policy = effectivePolicy(rule, subset, port.number, mesh);
  return applyLocalityPolicy(reached, localitySettingOf(policy, service, mesh), location);
}

function isOffered(endpoint: Endpoint, service: Service, location: ProxyLocation): boolean {
  const { node, clusterId, networkView } = location;
  if (isDraining(endpoint) && !keepsSessions(service)) return false;
  if (service.nodeLocal && endpoint.node !== node) return false;
  if (clusterId !== "" && endpoint.clusterId !== clusterId) return false;
  return networkView.length === 0 || networkView.includes(endpoint.network);
}
