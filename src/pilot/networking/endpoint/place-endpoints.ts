import type { Standpoint } from "../../model/place/standpoint.ts";
import { parseLocality } from "../../model/place/topology.ts";
import type { LocalityPolicy, RegionFailover } from "../../model/traffic/destination-rule.ts";
import { distributed } from "./distribute.ts";
import type { EndpointGroup } from "./endpoint-group.ts";
import { byFailoverPriority } from "./failover-priority.ts";
import type { Nearness } from "./locality-policy.ts";
import { ranked } from "./ranked.ts";

/** The groups as a client is to use them from where it stands. */
export function placeEndpoints(
  groups: readonly EndpointGroup[],
  { policy, failsOver }: Nearness,
  standpoint: Standpoint,
): readonly EndpointGroup[] {
  if (policy.type === "off") return groups;
  if (policy.type === "zone-aware") return policy.enabled ? byRegion(groups, policy, standpoint) : groups;
  if (policy.distribute.length > 0) return distributed(groups, policy.distribute, standpoint.locality);
  return failsOver ? failedOver(groups, policy, standpoint) : groups;
}

/** Labels decide if set, then the configured failover between regions, else the plain distance. */
function failedOver(
  groups: readonly EndpointGroup[],
  { failover, failoverPriority }: Extract<LocalityPolicy, { readonly type: "locality" }>,
  standpoint: Standpoint,
): readonly EndpointGroup[] {
  const labelled = byFailoverPriority(groups, failoverPriority, standpoint);
  if (failoverPriority.length > 0 && failover.length === 0) return labelled;
  return ranked(labelled, distances, ({ locality }) => distance(locality, failover, standpoint));
}

const distances = 5;

/**
 * Returns 0 for the same place, 1 for the same zone, 2 for the same region, 3 for other regions. Returns 4 for regions
 * that are not a failover target.
 */
function distance(locality: string, failover: readonly RegionFailover[], { locality: own }: Standpoint): number {
  const { region, zone, subzone } = parseLocality(locality);
  if (region !== own.region) return stepsIn(region, failover, own.region) === false ? 4 : 3;
  if (zone !== own.zone) return 2;
  return subzone === own.subzone ? 0 : 1;
}

const regions = 3;

/** All zones of the client's region together, so that Envoy can balance between them. */
function byRegion(
  groups: readonly EndpointGroup[],
  { failover, failoverPriority }: Extract<LocalityPolicy, { readonly type: "zone-aware" }>,
  standpoint: Standpoint,
): readonly EndpointGroup[] {
  const own = standpoint.locality.region;
  return ranked(byFailoverPriority(groups, failoverPriority, standpoint), regions, ({ locality }) => {
    const { region } = parseLocality(locality);
    if (region === own) return 0;
    return stepsIn(region, failover, own) === true ? 1 : 2;
  });
}

/** Undefined when the region has no failover target. */
function stepsIn(region: string, failover: readonly RegionFailover[], own: string): boolean | undefined {
  const chosen = failover.find(({ from }) => from === own);
  return chosen === undefined ? undefined : chosen.to === region;
}
