import type { ConfigId } from "../../../config/config.ts";
import { difference } from "../../../xds/resources/difference.ts";
import type { Resource } from "../../../xds/resources/resource.ts";
import { ResourceSet } from "../../../xds/resources/resource-set.ts";
import type { Subscription } from "../../../xds/subscription/subscription.ts";

/** What a client was sent since it last said yes, as far as it wants it: what it said no to is among this. */
export function suspectsOf(subscription: Subscription): readonly Resource[] {
  const { sent, acked } = subscription;
  const parts = Math.max(sent.length, acked.length);
  return Array.from({ length: parts }, (_, part) => part).flatMap((part) =>
    difference(acked[part] ?? ResourceSet.empty, sent[part] ?? ResourceSet.empty).changed.filter(({ name }) =>
      subscription.wants(name),
    ),
  );
}

/** The protocol does not care what a resource was made of; Pilot's are made of users' objects. */
export function ownersOf({ owners }: Pick<Resource, "owners">): readonly ConfigId[] {
  return owners as readonly ConfigId[];
}
