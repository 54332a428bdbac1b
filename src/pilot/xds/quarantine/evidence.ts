import type { ConfigId } from "../../../config/config.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Subscription } from "../../../xds/subscription/subscription.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { rejectedIn } from "../status/rejections.ts";
import { configOwners } from "../status/suspects.ts";

/** The verdict of other proxies about an object that one proxy refuses. */
export type Evidence =
  | { readonly type: "refused"; readonly node: string }
  | { readonly type: "accepted"; readonly node: string }
  | { readonly type: "none" };

/** So many other proxies are asked. */
const maxAsked = 16;

/**
 * Looks at other proxies that have the current version of the object, without any probe. One that accepted everything,
 * resources of this object among them, accepts the object. One that rejects a resource of the object refuses it, if it
 * is the only object that was found: otherwise the cause may be another one.
 */
export function evidenceOn(id: ConfigId, others: readonly Connection<Proxy>[], isOnly: boolean): Evidence {
  for (const { verdict, subscriptions, client } of others.slice(0, maxAsked)) {
    if (verdict.type === "pending") continue;
    if (verdict.type === "accepted") {
      if (subscriptions.some((each) => holds(each, id))) return { type: "accepted", node: client.nodeId };
      continue;
    }
    const isRejected = subscriptions.flatMap(rejectedIn).some(({ objects }) => objects.includes(id));
    if (isOnly && isRejected) return { type: "refused", node: client.nodeId };
  }
  return { type: "none" };
}

/** The proxy has accepted a resource of the object. */
function holds({ acked }: Subscription, id: ConfigId): boolean {
  return acked.some((set) => Iterator.from(set).some((resource) => configOwners(resource).includes(id)));
}
