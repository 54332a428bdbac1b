import type { Config, ConfigId } from "../../../config/config.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Subscription } from "../../../xds/subscription/subscription.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { rejectedIn } from "../status/rejections.ts";
import { configOwners } from "../status/suspects.ts";

/** Objects that may be the cause of a rejection, each with the version that the proxy accepted before, if any. */
export type SuspectList = ReadonlyMap<ConfigId, Config | undefined>;

interface SuspectFacts {
  /** The objects that changed since the proxy accepted everything, if that is known. */
  readonly changed: SuspectList | undefined;
  /** Objects that are on no list. */
  readonly refused: { has(id: ConfigId): boolean };
  /** The suspects that the words of the proxy point at. */
  readonly named: (suspects: readonly ConfigId[]) => ReadonlySet<ConfigId>;
}

/**
 * The lists of suspects to search, the most likely list first. Objects that the class refuses already are on none.
 *
 * 1. Objects that changed since the proxy accepted everything, if the rejected resources are built from them.
 * 2. All objects that changed since then: an object can have an effect on a resource that is not built from it.
 * 3. Objects behind the rejected resources, if no accepted resource of the proxy is built from them. A probe without
 *    them takes nothing away, unless the proxy holds unknown resources from an earlier stream. Then the list has one
 *    object, to which the rejection points: no probe takes away anything else.
 */
export function suspectLists(
  connection: Pick<Connection<Proxy>, "subscriptions" | "resumed">,
  { changed, refused, named }: SuspectFacts,
): readonly SuspectList[] {
  const owners = new Set(connection.subscriptions.flatMap(rejectedIn).flatMap(({ objects }) => objects));
  const changedOwners = new Map([...(changed ?? [])].filter(([id]) => owners.has(id)));
  const lists = [changedOwners, ...(changed === undefined || changed.size === changedOwners.size ? [] : [changed])];
  const accepted = new Set(connection.subscriptions.flatMap(acceptedOwners));
  const unaccepted = [...owners.difference(accepted)].filter((id) => !refused.has(id));
  const possible = connection.resumed ? onlyOne(unaccepted, named) : unaccepted;
  lists.push(new Map(possible.map((id) => [id, changed?.get(id)])));
  const open = lists.map((list) => new Map([...list].filter(([id]) => !refused.has(id))));
  return open.filter(({ size }) => size > 0);
}

function onlyOne(suspects: readonly ConfigId[], named: SuspectFacts["named"]): readonly ConfigId[] {
  if (suspects.length <= 1) return suspects;
  const few = named(suspects);
  return few.size === 1 ? [...few] : [];
}

/** The objects behind the resources that the proxy holds in their current version. */
function acceptedOwners({ acked, rejected }: Subscription): readonly ConfigId[] {
  const owners = new Set<ConfigId>();
  for (const set of acked) {
    for (const resource of set) {
      if (rejected.has(resource.name)) continue;
      for (const owner of configOwners(resource)) owners.add(owner);
    }
  }
  return [...owners];
}
