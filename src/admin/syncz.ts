import { compareTexts } from "../lib/compare.ts";
import type { Proxy } from "../pilot/model/proxy.ts";
import type { Connection } from "../xds/connection.ts";
import type { Subscription } from "../xds/subscription/subscription.ts";
import { proxyVersion } from "./proxy-version.ts";
import { json, type Route } from "./route.ts";
import type { PilotState } from "./state.ts";

export type SyncState = "SYNCED" | "NOT SENT" | "STALE" | "ERROR";

/** Where one type of one proxy stands, in the words of `istioctl proxy-status`. */
export function syncStateOf({ error, sentNonce, ackedNonce }: Subscription): SyncState {
  if (error !== undefined) return "ERROR";
  if (sentNonce === "") return "NOT SENT";
  return sentNonce === ackedNonce ? "SYNCED" : "STALE";
}

export function syncz({ connections }: Pick<PilotState, "connections">): Route {
  return {
    path: "/debug/syncz",
    doc: "per proxy and type: what was sent and what was acknowledged; ?namespace=NAME",
    answer(query) {
      const namespace = query.get("namespace");
      const shown = [...connections()].filter(({ client }) => namespace === null || client.namespace === namespace);
      return json(shown.map(statusOf).toSorted(byProxy));
    },
  };
}

function statusOf({ id, client: proxy, mode, subscriptions }: Connection<Proxy>) {
  return {
    cluster_id: proxy.clusterId,
    namespace: proxy.namespace,
    proxy: proxy.id,
    node: proxy.nodeId,
    connection: id,
    proxy_type: proxy.type,
    istio_version: proxyVersion(proxy),
    mode,
    resources: Object.fromEntries(subscriptions.map(typeStatusOf)),
  };
}

function typeStatusOf(subscription: Subscription) {
  const { type, sentNonce, ackedNonce, error } = subscription;
  const status = {
    type: type.shortName,
    sent: sentNonce,
    acked: ackedNonce,
    state: syncStateOf(subscription),
    ...(error !== undefined && { error }),
  };
  return [type.typeUrl, status] as const;
}

type Status = ReturnType<typeof statusOf>;

function byProxy(a: Status, b: Status): number {
  return compareTexts(sortKey(a), sortKey(b));
}

function sortKey({ cluster_id, namespace, proxy, connection }: Status): string {
  return [cluster_id, namespace, proxy, connection].join("\0");
}
