import type { ConfigId } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import type { Connection } from "../../../xds/connection.ts";
import { find, type Target } from "../../../xds/resources/target.ts";
import type { Watched } from "../../../xds/stream/watch.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { namesOwnedIn } from "./progress/owned-names.ts";
import { isCurrent } from "./resource-status.ts";

/** The distribution of a config object. */
export interface ConfigDistribution {
  /** Every proxy that has, or should have, resources of the object. */
  readonly proxies: readonly ProxyDistribution[];
  readonly upToDate: number;
}

interface ProxyDistribution {
  readonly node: string;
  readonly namespace: string;
  /** The proxy has acknowledged all current resources of the object. */
  readonly upToDate: boolean;
  readonly resources: readonly DistributedResource[];
}

interface DistributedResource {
  readonly type: string;
  readonly name: string;
  /** Empty when the resource is to be removed. */
  readonly version: string;
  /** Empty when the proxy does not have it. */
  readonly acked: string;
}

/**
 * The proxies that an object affects, and those that are up to date. It compares versions of the resources made from
 * the object: the versions a proxy should have, and those it acknowledged. Versions depend on content. So an edit
 * without effect on a proxy leaves the proxy up to date.
 */
export function distributionOf(id: ConfigId, connections: Iterable<Connection<Proxy>>): ConfigDistribution {
  const proxies = [...connections]
    .flatMap(({ client, watched }) => {
      const concerned = watched.map((each) => ({ each, names: namesOwnedBy(id, each) }));
      if (concerned.every(({ names }) => names.length === 0)) return [];
      const resources = concerned.flatMap(({ each, names }) => names.map((name) => distributed(each, name)));
      const upToDate = concerned.every(({ each, names }) => names.every((name) => isCurrent(each, name)));
      return [{ node: client.nodeId, namespace: client.namespace, upToDate, resources }];
    })
    .toSorted((a, b) => compareTexts(a.node, b.node));
  return { proxies, upToDate: proxies.filter(({ upToDate }) => upToDate).length };
}

function distributed({ subscription, target = [] }: Watched, name: string): DistributedResource {
  const versionIn = (side: Target) => find(side, name)?.version ?? "";
  return { type: subscription.type.shortName, name, version: versionIn(target), acked: versionIn(subscription.acked) };
}

/** Resources made from the object now, and resources of the proxy that were made from it before. */
function namesOwnedBy(id: ConfigId, { subscription, target = [] }: Watched): readonly string[] {
  const owned = [...namesOwnedIn(target, id), ...namesOwnedIn(subscription.acked, id)];
  return [...new Set(owned)].filter((name) => subscription.wants(name));
}
