import type { ConfigId } from "../../../config/config.ts";
import type { Resource } from "../../../xds/resources/resource.ts";
import { find } from "../../../xds/resources/target.ts";
import type { Subscription } from "../../../xds/subscription/subscription.ts";

/** The last sent resources that a client may have rejected, by the reason in its NACK. */
export function suspectsOf({
  rejected,
  sent,
}: Pick<Subscription, "rejected" | "sent">): ReadonlyMap<string, readonly Resource[]> {
  const byReason = Map.groupBy(rejected, ([, reason]) => reason);
  const found = Array.from(byReason, ([reason, names]) => {
    const resources = names.map(([name]) => find(sent, name)).filter((resource) => resource !== undefined);
    return [reason, resources] as const;
  });
  return new Map(found);
}

/** The protocol does not know source objects, but Pilot's resources have them. */
export function configOwners({ owners }: Pick<Resource, "owners">): readonly ConfigId[] {
  return owners as readonly ConfigId[];
}
