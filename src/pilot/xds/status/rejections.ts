import type { ConfigId } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { Memo } from "../../../lib/memo.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Resource } from "../../../xds/resources/resource.ts";
import type { Subscription } from "../../../xds/subscription/subscription.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { type Blame, blameFor } from "./blame.ts";
import { ownersOf, suspectsOf } from "./suspects.ts";

/** What some proxies say no to now, all in the same words. */
export interface Rejection {
  /** CDS, LDS, … */
  readonly type: string;
  readonly message: string;
  /** The resource, or those of which one is meant. */
  readonly resources: readonly string[];
  /** The users' objects that they were made of. */
  readonly objects: readonly ConfigId[];
  /** The nodes, sorted. */
  readonly proxies: readonly string[];
}

/** Every rejection that still holds: it ends when the proxy says yes to something newer, or goes. */
export function rejectionsAmong(connections: Iterable<Connection<Proxy>>): readonly Rejection[] {
  const found = new Map<string, Omit<Rejection, "proxies"> & { readonly proxies: Set<string> }>();
  for (const { client, subscriptions } of connections) {
    for (const subscription of subscriptions) {
      for (const rejection of rejectedIn(subscription)) {
        const { type, message, resources } = rejection;
        const key = JSON.stringify([type, message, resources]);
        const entry = found.get(key) ?? { ...rejection, proxies: new Set() };
        found.set(key, entry);
        entry.proxies.add(client.nodeId);
      }
    }
  }
  const all = [...found].toSorted(([a], [b]) => compareTexts(a, b));
  return all.map(([, { proxies, ...rejection }]) => ({ ...rejection, proxies: [...proxies].toSorted(compareTexts) }));
}

/** What one proxy says no to; nothing when it does not. */
export function rejectedIn(subscription: Subscription): readonly Omit<Rejection, "proxies">[] {
  return blamesIn(subscription).map(({ message, suspects }) => ({
    type: subscription.type.shortName,
    message,
    resources: suspects.map(({ name }) => name),
    objects: [...new Set(suspects.flatMap(ownersOf))].toSorted(compareTexts),
  }));
}

const known = new Memo<readonly Blame<Resource>[]>();

/** Proxies that were sent the same say the same: a whole fleet's rejections are read once. */
function blamesIn(subscription: Subscription): readonly Blame<Resource>[] {
  const { type, sent, error, rejected } = subscription;
  if (error === undefined) return [];
  const key = JSON.stringify([sent.length, error, ...rejected]);
  return known.get([type, ...sent], key, () => {
    const suspects = suspectsOf(subscription);
    if (suspects.size === 0) return blameFor(error, []);
    return Array.from(suspects).flatMap(([reason, resources]) => blameFor(reason, resources));
  });
}
