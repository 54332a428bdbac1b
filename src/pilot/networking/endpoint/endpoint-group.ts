import { compareTexts } from "../../../lib/compare.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Endpoint } from "../../model/service/service.ts";
import { lbEndpointOf, weightOf } from "./lb-endpoint.ts";

/** Endpoints of one locality that are used together. */
export interface EndpointGroup {
  /** `region/zone/subzone`, or "". */
  readonly locality: string;
  /** 0 is used first. Envoy uses the next one when too few endpoints are healthy. */
  readonly priority: number;
  /** Of the locality among those of its priority. */
  readonly weight: number;
  readonly endpoints: readonly Endpoint[];
}

/** Endpoints grouped by locality, sorted by its name. A locality weighs as much as its endpoints together. */
export function groupByLocality(endpoints: readonly Endpoint[]): readonly EndpointGroup[] {
  return [...Map.groupBy(endpoints, ({ locality }) => locality)]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .map(([locality, members]) => ({ locality, priority: 0, weight: totalWeight(members), endpoints: members }));
}

/** Envoy and gRPC add weights up in 32 bits. */
export const maxWeight = 0xff_ff_ff_ff;

export function totalWeight(endpoints: readonly Endpoint[]): number {
  return Math.min(
    maxWeight,
    endpoints.reduce((sum, endpoint) => sum + weightOf(endpoint), 0),
  );
}

/** Scales weights down where their sum is too large, as far as whole numbers allow. Each weight stays at least 1. */
function scaled(groups: readonly EndpointGroup[]): readonly EndpointGroup[] {
  const all = groups.flatMap(({ endpoints }) => endpoints);
  const total = all.reduce((sum, endpoint) => sum + weightOf(endpoint), 0);
  if (total <= maxWeight) return groups;
  const factor = (maxWeight - all.length) / total;
  return groups.map((group) => {
    const endpoints = group.endpoints.map((each) => ({ ...each, weight: Math.floor(each.weight * factor) }));
    const isOwn = group.weight === totalWeight(group.endpoints);
    return { ...group, endpoints, weight: isOwn ? totalWeight(endpoints) : group.weight };
  });
}

export function encodeGroups(groups: readonly EndpointGroup[], writer: ProtoWriter) {
  return scaled(groups).map(({ locality, priority, weight, endpoints }) => {
    const [region = "", zone = "", subZone = ""] = locality.split("/");
    return {
      // Present also when unknown: gRPC clients insist on it.
      locality: { region, zone, subZone },
      lbEndpoints: endpoints.map((endpoint) => lbEndpointOf(endpoint, writer)),
      loadBalancingWeight: weight === 0 ? undefined : weight,
      priority,
    };
  });
}
