import { compareTexts } from "../lib/compare.ts";
import type { Connection } from "../pilot/xds/connection.ts";
import type { Subscription } from "../pilot/xds/subscription.ts";
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
      const shown = [...connections()].filter(({ proxy }) => namespace === null || proxy.namespace === namespace);
      return json(shown.map(statusOf).toSorted(byProxy));
    },
  };
}

function statusOf({ id, proxy, mode, subscriptions }: Connection) {
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
  const { generator, sentNonce, ackedNonce, error } = subscription;
  const status = {
    type: generator.shortName,
    sent: sentNonce,
    acked: ackedNonce,
    state: syncStateOf(subscription),
    ...(error !== undefined && { error }),
  };
  return [generator.typeUrl, status] as const;
}

type Status = ReturnType<typeof statusOf>;

function byProxy(a: Status, b: Status): number {
  return compareTexts(sortKey(a), sortKey(b));
}

function sortKey({ cluster_id, namespace, proxy, connection }: Status): string {
  return [cluster_id, namespace, proxy, connection].join("\0");
}
