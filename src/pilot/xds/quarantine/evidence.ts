import type { ConfigId } from "../../../config/config.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Subscription } from "../../../xds/subscription/subscription.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { rejectedIn } from "../status/rejections.ts";
import { configOwners } from "../status/suspects.ts";

/** The verdicts of other proxies about an object that one proxy refuses: their nodes. */
export interface Evidence {
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  /** How many were asked. Not all of them know. */
  readonly asked: number;
}

/** So many other proxies are asked. */
const maxAsked = 16;

/**
 * Looks at other proxies that have the current version of the object, without any probe. One that accepted everything,
 * resources of this object among them, accepts the object. One that rejects a resource of the object refuses it, if it
 * is the only object that was found: otherwise the cause may be another one.
 */
export function evidenceOn(id: ConfigId, others: readonly Connection<Proxy>[], isOnly: boolean): Evidence {
  const asked = others.slice(0, maxAsked);
  const accepting = asked.filter(({ verdict }) => verdict.type === "accepted");
  const rejecting = isOnly ? asked.filter(({ verdict }) => verdict.type === "rejected") : [];
  const accepted = accepting.filter(({ subscriptions }) => subscriptions.some((each) => holds(each, id)));
  const refused = rejecting.filter(({ subscriptions }) =>
    subscriptions.flatMap(rejectedIn).some(({ objects }) => objects.includes(id)),
  );
  return { accepted: accepted.map(nodeOf), refused: refused.map(nodeOf), asked: asked.length };
}

function nodeOf({ client }: Connection<Proxy>): string {
  return client.nodeId;
}

/** The proxy has accepted a resource of the object. */
function holds({ acked }: Subscription, id: ConfigId): boolean {
  return acked.some((set) => Iterator.from(set).some((resource) => configOwners(resource).includes(id)));
}
