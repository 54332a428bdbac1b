import { proxiesOf } from "../../admin/pilot/find-proxy.ts";
import type { Viewer } from "../../admin/viewer.ts";
import { isProxyless, type Proxy } from "../../pilot/model/proxy/proxy.ts";
import { syncStatusOf } from "../../pilot/xds/status/sync-status.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import type { DeskState } from "./desk-state.ts";
import { type ApiAnswer, maySee, problem } from "./endpoint.ts";
import type { ProxyState, ProxySummary, TypeSync } from "./model/proxies.ts";

/** The proxies that the viewer may see. */
export function visibleProxies(state: Pick<DeskState, "connections">, viewer: Viewer): readonly Connection<Proxy>[] {
  return proxiesOf(state).filter(({ client }) => maySee(viewer, client.namespace));
}

/** The newest stream of a node, among the proxies that the viewer may see. */
export function findNode(
  state: Pick<DeskState, "connections">,
  viewer: Viewer,
  node: string,
): Connection<Proxy> | undefined {
  return visibleProxies(state, viewer)
    .filter(({ client }) => client.nodeId === node)
    .toSorted((a, b) => b.connectedAt - a.connectedAt)[0];
}

export function notConnected(node: string): ApiAnswer {
  return problem(404, `${node} is not connected to this server`);
}

/** Computes nothing that grows with resources, so that a list of thousands is cheap. */
export function proxyStateOf({ subscriptions, owedPushes }: Connection<Proxy>): ProxyState {
  let isBehind = owedPushes.length > 0;
  for (const { type, state } of subscriptions) {
    if (type.neverAcknowledged === true) continue;
    if (state === "rejected") return "rejecting";
    if (state !== "synced") isBehind = true;
  }
  return isBehind ? "behind" : "synced";
}

export function proxySummary(connection: Connection<Proxy>, { timeOf }: Pick<DeskState, "timeOf">): ProxySummary {
  const { client, connectedAt, mode, subscriptions } = connection;
  return {
    node: client.nodeId,
    name: client.id,
    namespace: client.namespace,
    type: proxyTypeOf(client),
    version: client.build,
    cluster: client.clusterId,
    connectedAt: timeOf(connectedAt).toISOString(),
    mode,
    state: proxyStateOf(connection),
    types: subscriptions.map(typeSyncOf),
  };
}

export function proxyTypeOf(client: Proxy): ProxySummary["type"] {
  return isProxyless(client) ? "proxyless" : client.type;
}

export function typeSyncOf(subscription: Subscription): TypeSync {
  const status = syncStatusOf(subscription);
  return { type: subscription.type.shortName, status: status === "IGNORED" ? "NOT SENT" : status };
}
