import { networkLabel } from "../../../config/mesh/place-labels.ts";
import type { Standpoint } from "../../model/place/standpoint.ts";
import { endpointLabel } from "../../model/place/topology.ts";
import type { Endpoint } from "../../model/service/service.ts";
import { type EndpointGroup, totalWeight } from "./endpoint-group.ts";
import { ranked } from "./ranked.ts";

interface Wish {
  readonly label: string;
  readonly value: string;
}

/**
 * Groups split by how many of the labels, from the first on, an endpoint shares with the client, those that share most
 * first. A label may come with the value that is wanted instead.
 */
export function byFailoverPriority(
  groups: readonly EndpointGroup[],
  failoverPriority: readonly string[],
  { labels }: Standpoint,
): readonly EndpointGroup[] {
  if (failoverPriority.length === 0) return groups;
  const wishes = failoverPriority.map((text): Wish => {
    const [label = "", value] = text.split("=");
    return { label, value: value ?? labels[label] ?? "" };
  });
  // A foreign network comes after all others, and what else is shared still counts there.
  const ignoresNetwork = failoverPriority[0] === networkLabel;
  const split = groups.flatMap((group) => splitBy(group, (endpoint) => missed(endpoint, wishes, ignoresNetwork)));
  return ranked(split, 1, () => 0);
}

function splitBy(group: EndpointGroup, priorityOf: (endpoint: Endpoint) => number): readonly EndpointGroup[] {
  return [...Map.groupBy(group.endpoints, priorityOf)]
    .toSorted(([a], [b]) => a - b)
    .map(([priority, endpoints]) => ({ ...group, priority, weight: totalWeight(endpoints), endpoints }));
}

/** How much an endpoint lacks: nothing when it shares all labels, the more the earlier the first that differs. */
function missed(endpoint: Endpoint, wishes: readonly Wish[], ignoresNetwork: boolean): number {
  const differs = wishes.map(({ label, value }) => (endpointLabel(endpoint, label) ?? "") !== value);
  const first = differs.indexOf(true, ignoresNetwork ? 1 : 0);
  const foreign = ignoresNetwork && differs[0] === true ? wishes.length : 0;
  return foreign + (first === -1 ? 0 : wishes.length - first);
}
