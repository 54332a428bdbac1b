import type { ConfigId } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { memoize } from "../../../lib/memo.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Resource } from "../../../xds/resources/resource.ts";
import { find, type Target } from "../../../xds/resources/target.ts";
import type { Subscription } from "../../../xds/subscription/subscription.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { type Blame, blameFor } from "./blame.ts";
import { configOwners, suspectsOf } from "./suspects.ts";

/** A resource rejection that some proxies report now with the same message. */
export interface Rejection {
  /** CDS, LDS, … */
  readonly type: string;
  readonly message: string;
  /** The rejected resource, or the suspects. */
  readonly resources: readonly string[];
  /** Their source objects. */
  readonly objects: readonly ConfigId[];
  /** The nodes, sorted. */
  readonly proxies: readonly string[];
}

/** Every current rejection: it ends when the proxy acknowledges a newer version or disconnects, or the resource is gone. */
export function rejectionsAmong(connections: Iterable<Connection<Proxy>>): readonly Rejection[] {
  const found = new Map<string, Omit<Rejection, "proxies"> & { readonly proxies: Set<string> }>();
  for (const { client, watched } of connections) {
    for (const { subscription, target } of watched) {
      for (const rejection of rejectedIn(subscription)) {
        const { type, message, resources } = rejection;
        if (areGone(resources, target)) continue;
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

/** A removal is not sent for some types in SotW, so the proxy cannot acknowledge it. */
function areGone(resources: readonly string[], target: Target | undefined): boolean {
  return target !== undefined && resources.length > 0 && resources.every((name) => find(target, name) === undefined);
}

/** The rejections of one proxy; empty without a NACK. */
export function rejectedIn(subscription: Subscription): readonly Omit<Rejection, "proxies">[] {
  return blamesIn(subscription).map(({ message, suspects }) => ({
    type: subscription.type.shortName,
    message,
    resources: suspects.map(({ name }) => name),
    objects: [...new Set(suspects.flatMap(configOwners))].toSorted(compareTexts),
  }));
}

/** Proxies with equal resources send equal messages, so each message is parsed once. */
function blamesIn(subscription: Subscription): readonly Blame<Resource>[] {
  const { type, sent, error, rejected } = subscription;
  if (error === undefined) return [];
  return findBlames([type, ...sent], { error, rejected });
}

const findBlames = memoize(
  (
    [, ...sent]: readonly [Subscription["type"], ...Subscription["sent"]],
    { error, rejected }: Pick<Subscription, "rejected"> & { readonly error: string },
  ): readonly Blame<Resource>[] => {
    const suspects = suspectsOf({ rejected, sent });
    if (suspects.size === 0) return blameFor(error, []);
    return Array.from(suspects).flatMap(([reason, resources]) => blameFor(reason, resources));
  },
);
