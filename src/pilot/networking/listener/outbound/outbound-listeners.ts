import type { ConfigId } from "../../../../config/config.ts";
import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../../model/resource.ts";
import { catchAllClusterOf } from "../../cluster/catch-all-clusters.ts";
import { blackHoleCluster } from "../../cluster/cluster-name.ts";
import { listenerName } from "../listener-address.ts";
import { buildOutboundListener } from "./build-outbound-listener.ts";
import { httpProxyListener } from "./http-proxy-listener.ts";
import type { ListenerWish } from "./listener-wish.ts";
import { wishedListener, wishesOf } from "./listener-wish.ts";
import type { OutboundListener } from "./merge-wishes.ts";
import { mergeWishes } from "./merge-wishes.ts";
import type { ChainContext } from "./outbound-chain.ts";
import { outboundClientId } from "./outbound-client.ts";
import { virtualOutbound } from "./virtual-outbound.ts";

/** The listeners that services ask for, before they are encoded; those of the given names, or all. */
export function planOutbound(context: ChainContext, names?: ReadonlySet<string>): readonly OutboundListener[] {
  const { scope, client, push } = context;
  const wishes = new Map<string, [ListenerWish, ...ListenerWish[]]>();
  for (const wish of wishesOf(scope, client, push)) {
    const name = wishedListener(wish);
    if (names !== undefined && !names.has(name)) continue;
    const others = wishes.get(name);
    if (others === undefined) wishes.set(name, [wish]);
    else others.push(wish);
  }
  return Array.from(wishes.values(), (list) => mergeWishes(list, context));
}

const taken = new Memo<ReadonlyMap<string, ConfigId | undefined>>();

/** The names of all outbound listeners that others might want as well, and the first who asked for each. */
export function takenNames({ scope, client, push }: ChainContext): ReadonlyMap<string, ConfigId | undefined> {
  return taken.get([scope, push.endpoints], outboundClientId(client), () => {
    const names = new Map<string, ConfigId | undefined>();
    if (client.httpProxyPort > 0) names.set(listenerName(client.localhost, client.httpProxyPort), undefined);
    for (const wish of wishesOf(scope, client, push)) {
      const name = wishedListener(wish);
      if (!names.has(name)) names.set(name, wish.service.owner);
    }
    return names;
  });
}

/** Every outbound listener of a sidecar. */
export function buildOutbound(context: ChainContext, writer: ProtoWriter): readonly Resource[] {
  const { scope, client, push } = context;
  const surroundings = { client, mesh: push.mesh, catchAll: catchAllCluster(context) };
  const fixed = [httpProxyListener(client, push.mesh, writer), virtualOutbound(scope, surroundings, writer)];
  return [...buildNamed(context, writer), ...fixed.filter((resource) => resource !== undefined)];
}

/** Those that services ask for: of the given names, or all. */
export function buildNamed(
  context: ChainContext,
  writer: ProtoWriter,
  names?: ReadonlySet<string>,
): readonly Resource[] {
  const { client, push } = context;
  const surroundings = { client, mesh: push.mesh, catchAll: catchAllCluster(context) };
  return planOutbound(context, names).map((listener) => buildOutboundListener(listener, surroundings, writer));
}

function catchAllCluster({ scope, client }: ChainContext): string {
  return catchAllClusterOf(scope.outboundPolicy, client.interception !== "none") ?? blackHoleCluster;
}
