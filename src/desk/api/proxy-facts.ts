import { proxiesOf } from "../../admin/pilot/find-proxy.ts";
import type { Viewer } from "../../admin/viewer.ts";
import { isProxyless, type Proxy } from "../../pilot/model/proxy/proxy.ts";
import { syncStatusOf } from "../../pilot/xds/status/sync-status.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import type { DeskState } from "./desk-state.ts";
import { maySee } from "./endpoint.ts";
import type { ProxyState, ProxySummary, TypeSync } from "./model/proxies.ts";

/** The proxies that the viewer may see. */
export function visibleProxies(state: Pick<DeskState, "connections">, viewer: Viewer): readonly Connection<Proxy>[] {
  return proxiesOf(state).filter(({ client }) => maySee(viewer, client.namespace));
}

/** Computes nothing that grows with resources, so that a list of thousands is cheap. */
export function proxyStateOf({ subscriptions, owedPushes }: Connection<Proxy>): ProxyState {
  const judged = subscriptions.filter(({ type }) => type.neverAcknowledged !== true);
  if (judged.some(({ state }) => state === "rejected")) return "rejecting";
  return owedPushes.length > 0 || judged.some(({ state }) => state !== "synced") ? "behind" : "synced";
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
