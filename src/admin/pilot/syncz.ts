import { compareTexts } from "../../lib/compare.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { syncStatusOf } from "../../pilot/xds/status/sync-status.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import { clusterType, endpointType, extensionType, listenerType, routeType } from "../../xds/type-urls.ts";
import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxiesOf } from "./find-proxy.ts";
import { proxyVersion } from "./proxy-version.ts";
import { keptFrom } from "./quarantine.ts";

type SynczState = Pick<PilotState, "connections" | "timeOf" | "quarantine">;

export function synczPage(state: SynczState): Route {
  return {
    path: "/debug/syncz",
    doc: "versions sent and acknowledged, per proxy and type, and objects kept away from the proxy; ?namespace=NAME",
    answer: (query) => json(synczOf(state, query.get("namespace"))),
  };
}

/** One entry per stream of a proxy, by cluster, namespace and name. */
function synczOf(state: SynczState, namespace: string | null) {
  const quarantine = state.quarantine();
  return proxiesOf(state)
    .filter(({ client }) => namespace === null || client.namespace === namespace)
    .map((connection) => ({ ...statusOf(connection, state), quarantined: keptFrom(connection.client, quarantine) }))
    .toSorted(byProxy);
}

/** The types with their own fields. Other types were added later. */
const fields = [
  ["cluster", clusterType],
  ["listener", listenerType],
  ["route", routeType],
  ["endpoint", endpointType],
  ["extensionconfig", extensionType],
] as const;

function statusOf({ id, client: proxy, mode, subscriptions }: Connection<Proxy>, { timeOf }: SynczState) {
  const ofType = (typeUrl: string) => subscriptions.find(({ type }) => type.typeUrl === typeUrl);
  const nonces = fields.flatMap(([field, typeUrl]) => [
    [`${field}_sent`, ofType(typeUrl)?.sentNonce ?? ""],
    [`${field}_acked`, ofType(typeUrl)?.ackedNonce ?? ""],
  ]);
  return {
    cluster_id: proxy.clusterId,
    namespace: proxy.namespace,
    proxy: proxy.id,
    node: proxy.nodeId,
    connection: id,
    proxy_type: proxy.type,
    istio_version: proxyVersion(proxy),
    mode,
    ...(Object.fromEntries(nonces) as Readonly<Record<string, string>>),
    resources: Object.fromEntries(
      subscriptions.map((subscription) => [subscription.type.typeUrl, typeStatusOf(subscription, timeOf)]),
    ),
  };
}

function typeStatusOf(subscription: Subscription, timeOf: PilotState["timeOf"]) {
  const { type, sentNonce, ackedNonce, sentAt, error } = subscription;
  return {
    type: type.shortName,
    state: syncStatusOf(subscription),
    sent: sentNonce,
    acked: ackedNonce,
    ...(sentAt !== undefined && { sentTime: timeOf(sentAt).toISOString() }),
    ...(error !== undefined && { lastError: error }),
  };
}

type Status = ReturnType<typeof statusOf>;

function byProxy(a: Status, b: Status): number {
  return compareTexts(sortKey(a), sortKey(b));
}

function sortKey({ cluster_id, namespace, proxy, connection }: Status): string {
  return [cluster_id, namespace, proxy, connection].join("\0");
}
