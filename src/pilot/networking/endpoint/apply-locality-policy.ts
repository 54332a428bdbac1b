import { networkLabel } from "../../../config/mesh/topology-labels.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { endpointLabel, type Locality, parseLocality } from "../../model/location/locality.ts";
import type { ProxyLocation } from "../../model/location/proxy-location.ts";
import type { Endpoint } from "../../model/service/service.ts";
import type { Distribution, LocalityPolicy, RegionFailover } from "../../model/traffic/destination-rule.ts";
import { type EndpointGroup, totalWeight } from "./endpoint-group.ts";
import type { LocalitySetting } from "./locality-policy.ts";

/** The groups with the priorities and weights that the policy sets for a client at this location. */
export function applyLocalityPolicy(
  groups: readonly EndpointGroup[],
  { policy, failsOver }: LocalitySetting,
  location: ProxyLocation,
): readonly EndpointGroup[] {
  if (policy.type === "off") return groups;
  if (policy.type === "zone-aware") return policy.enabled ? byRegion(groups, policy, location) : groups;
  if (policy.distribute.length > 0) return distribute(groups, policy.distribute, location.locality);
  return failsOver ? failOver(groups, policy, location) : groups;
}

/** Labels decide if set, then the configured failover between regions, else the plain distance. */
function failOver(
  groups: readonly EndpointGroup[],
  { failover, failoverPriority }: Extract<LocalityPolicy, { readonly type: "locality" }>,
  location: ProxyLocation,
): readonly EndpointGroup[] {
  const labelled = byFailoverPriority(groups, failoverPriority, location);
  if (failoverPriority.length > 0 && failover.length === 0) return labelled;
  return rankGroups(labelled, distances, ({ locality }) => distance(locality, failover, location));
}

const distances = 5;

/**
 * Returns 0 for the same subzone, 1 for the same zone, 2 for the same region, 3 for other regions. Returns 4 for regions
 * that are not a failover target.
 */
function distance(locality: string, failover: readonly RegionFailover[], { locality: own }: ProxyLocation): number {
  const { region, zone, subzone } = parseLocality(locality);
  if (region !== own.region) return isFailoverTarget(region, failover, own.region) === false ? 4 : 3;
  if (zone !== own.zone) return 2;
  return subzone === own.subzone ? 0 : 1;
}

const regions = 3;

/** All zones of the client's region together, so that Envoy can balance between them. */
function byRegion(
  groups: readonly EndpointGroup[],
  { failover, failoverPriority }: Extract<LocalityPolicy, { readonly type: "zone-aware" }>,
  location: ProxyLocation,
): readonly EndpointGroup[] {
  const own = location.locality.region;
  return rankGroups(byFailoverPriority(groups, failoverPriority, location), regions, ({ locality }) => {
    const { region } = parseLocality(locality);
    if (region === own) return 0;
    return isFailoverTarget(region, failover, own) === true ? 1 : 2;
  });
}

/** Undefined when the region has no failover target. */
function isFailoverTarget(region: string, failover: readonly RegionFailover[], own: string): boolean | undefined {
  const chosen = failover.find(({ from }) => from === own);
  return chosen === undefined ? undefined : chosen.to === region;
}

/**
 * Groups with the weights for clients of a locality; the first distribution that matches applies. A weight for several
 * localities is divided in proportion to their old weights. A locality that is not listed gets nothing.
 */
function distribute(
  groups: readonly EndpointGroup[],
  distributions: readonly Distribution[],
  own: Locality,
): readonly EndpointGroup[] {
  const meant = distributions.find(({ from }) => covers(from, own));
  if (meant === undefined) return groups;
  const shares = [...meant.to].toSorted(([a], [b]) => compareTexts(a, b));
  const shareOf = new Map(
    groups.map((group) => [group, shares.find(([to]) => covers(to, parseLocality(group.locality)))] as const),
  );
  return groups.map((group) => {
    const share = shareOf.get(group);
    if (share === undefined) return { ...group, endpoints: [] };
    const alike = groups.filter((other) => shareOf.get(other) === share);
    const total = alike.reduce((sum, { weight }) => sum + weight, 0);
    const weight = Math.ceil((group.weight * share[1]) / total);
    return weight > 0 ? { ...group, weight } : group;
  });
}

/** `*` covers everything, and so does a missing part. */
function covers(pattern: string, { region, zone, subzone }: Locality): boolean {
  const wanted = parseLocality(pattern);
  return (
    (wanted.region === "*" || wanted.region === region) &&
    (wanted.zone === "*" || wanted.zone === "" || wanted.zone === zone) &&
    (wanted.subzone === "*" || wanted.subzone === "" || wanted.subzone === subzone)
  );
}

interface PriorityLabel {
  readonly label: string;
  readonly value: string;
}

/**
 * Groups split by how many of the labels, from the first on, an endpoint shares with the client, those that share most
 * first. A label may have an explicit value.
 */
function byFailoverPriority(
  groups: readonly EndpointGroup[],
  failoverPriority: readonly string[],
  { labels }: ProxyLocation,
): readonly EndpointGroup[] {
  if (failoverPriority.length === 0) return groups;
  const wanted = failoverPriority.map((text): PriorityLabel => {
    const [label = "", value] = text.split("=");
    return { label, value: value ?? labels[label] ?? "" };
  });
  // Endpoints of another network come last, still ordered by the other labels.
  const ignoresNetwork = failoverPriority[0] === networkLabel;
  const split = groups.flatMap((group) =>
    splitBy(group, (endpoint) => missingLabels(endpoint, wanted, ignoresNetwork)),
  );
  return rankGroups(split, 1, () => 0);
}

function splitBy(group: EndpointGroup, priorityOf: (endpoint: Endpoint) => number): readonly EndpointGroup[] {
  return [...Map.groupBy(group.endpoints, priorityOf)]
    .toSorted(([a], [b]) => a - b)
    .map(([priority, endpoints]) => ({ ...group, priority, weight: totalWeight(endpoints), endpoints }));
}

/** 0 when the endpoint shares all labels. The earlier the first different label, the higher the number. */
function missingLabels(endpoint: Endpoint, wanted: readonly PriorityLabel[], ignoresNetwork: boolean): number {
  const differs = wanted.map(({ label, value }) => (endpointLabel(endpoint, label) ?? "") !== value);
  const first = differs.indexOf(true, ignoresNetwork ? 1 : 0);
  const foreign = ignoresNetwork && differs[0] === true ? wanted.length : 0;
  return foreign + (first === -1 ? 0 : wanted.length - first);
}

/**
 * The groups with finer priorities: of two with the same priority, the one with the smaller rank comes first. Ranks are
 * below `ranks`. Priorities are consecutive from 0, or clients reject them.
 */
function rankGroups(
  groups: readonly EndpointGroup[],
  ranks: number,
  rankOf: (group: EndpointGroup) => number,
): readonly EndpointGroup[] {
  const finer = groups.map((group) => ({ ...group, priority: group.priority * ranks + rankOf(group) }));
  const used = [...new Set(finer.map(({ priority }) => priority))].toSorted((a, b) => a - b);
  const positions = new Map(used.map((priority, position) => [priority, position]));
  return finer.map((group) => ({ ...group, priority: positions.get(group.priority) ?? 0 }));
}
