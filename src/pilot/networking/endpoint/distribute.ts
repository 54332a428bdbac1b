import { compareTexts } from "../../../lib/compare.ts";
import { type Locality, parseLocality } from "../../model/place/topology.ts";
import type { Distribution } from "../../model/traffic/destination-rule.ts";
import type { EndpointGroup } from "./endpoint-group.ts";

/**
 * Groups with the weights for clients of a locality; the first distribution that matches applies. A weight for several
 * localities is divided in proportion to their old weights. A locality that is not listed gets nothing.
 */
export function distributed(
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

/** `*` covers any, and so does a part that is not given. */
function covers(pattern: string, { region, zone, subzone }: Locality): boolean {
  const wanted = parseLocality(pattern);
  return (
    (wanted.region === "*" || wanted.region === region) &&
    (wanted.zone === "*" || wanted.zone === "" || wanted.zone === zone) &&
    (wanted.subzone === "*" || wanted.subzone === "" || wanted.subzone === subzone)
  );
}
