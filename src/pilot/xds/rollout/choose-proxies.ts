import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isReached, placeOf, type Reached } from "./membership.ts";

/**
 * The nodes of a wave that is a number of proxies: best of proxies that the change reaches, in the order of
 * their places. No node for other waves.
 */
export function chooseProxies(
  rollout: Reached,
  connections: Iterable<Connection<Proxy>>,
  isChanged: (connection: Connection<Proxy>) => boolean,
): readonly string[] {
  const wave = rollout.plan.waves[rollout.wave - 1];
  if (wave?.type !== "count") return [];
  const others = [...connections].filter(({ client }) => !isReached(rollout, client));
  const order = (each: Connection<Proxy>) =>
    Number(!isChanged(each)) * 2 + Number(each.verdict.type === "rejected") + placeOf(each.client.nodeId);
  const ordered = others.map((each) => ({ node: each.client.nodeId, order: order(each) }));
  const nodes = ordered.toSorted((a, b) => a.order - b.order).map(({ node }) => node);
  return [...new Set(nodes)].slice(0, wave.proxies);
}
