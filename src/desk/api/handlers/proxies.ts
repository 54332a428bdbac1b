import { keptFrom } from "../../../admin/pilot/quarantine.ts";
import type { Viewer } from "../../../admin/viewer.ts";
import { configId } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { oncePer } from "../../../lib/memo.ts";
import { spiffeId } from "../../../lib/spiffe-id.ts";
import type { Proxy } from "../../../pilot/model/proxy/proxy.ts";
import { isSidecar } from "../../../pilot/model/proxy/proxy.ts";
import { scopeRefOf, sidecarScopeFor } from "../../../pilot/model/scope/sidecar-scope-for.ts";
import { visibleServices } from "../../../pilot/model/service/visible-services.ts";
import { rejectedIn } from "../../../pilot/xds/status/rejections.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Target } from "../../../xds/resources/target.ts";
import { commonOf } from "../../../xds/stream/push-set.ts";
import type { Watched } from "../../../xds/stream/watch.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee } from "../endpoint.ts";
import type { Shortened } from "../model/listing.ts";
import type {
  ProxyDetail,
  ProxyListing,
  ProxyRejection,
  ProxyScope,
  QuarantinedObject,
  TypeSyncDetail,
} from "../model/proxies.ts";
import { linkTo, visibleLinks } from "../object-links.ts";
import { filterBy, paginate } from "../paginate.ts";
import {
  findNode,
  notConnected,
  proxyStateOf,
  proxySummary,
  proxyTypeOf,
  typeSyncOf,
  visibleProxies,
} from "../proxy-facts.ts";
import { isVisible } from "./changes.ts";

const shownChanges = 20;

export function listProxies(state: DeskState, { viewer, query }: ApiRequest): ApiAnswer {
  const search = (query.get("search") ?? "").toLowerCase();
  const searched = visibleProxies(state, viewer).filter(({ client }) => textOf(client).includes(search));
  const { matching, facets } = filterBy(searched, query, {
    state: proxyStateOf,
    namespace: ({ client }) => client.namespace,
    type: ({ client }) => proxyTypeOf(client),
    version: ({ client }) => client.build,
  });
  const sorted = matching.toSorted((a, b) => compareTexts(sortKey(a), sortKey(b)));
  const page = paginate(sorted, query, { keyOf: sortKey, compare: compareTexts });
  const listing: ProxyListing = { ...page, items: page.items.map((each) => proxySummary(each, state)), facets };
  return found(listing);
}

export function oneProxy(state: DeskState, { viewer, values: [node = ""] }: ApiRequest): ApiAnswer {
  const connection = findNode(state, viewer, node);
  if (connection === undefined) return notConnected(node);
  const { client, peer, watched } = connection;
  const { region, zone, subzone } = client.locality;
  const detail: ProxyDetail = {
    ...proxySummary(connection, state),
    address: peer.address,
    addresses: client.ipAddresses,
    labels: client.labels,
    locality: [region, zone, subzone].filter((part) => part !== "").join("/"),
    network: client.network,
    workload: client.workloadName,
    serviceAccount: client.serviceAccount,
    ...(client.identity && { identity: spiffeId(client.identity) }),
    sync: watched.map((each) => syncDetail(each, state)),
    rejections: rejectionsOf(connection, viewer, state),
    quarantined: quarantinedFor(client, viewer, state),
    behind: changesOwedTo(connection, viewer, state),
    scope: scopeOf(client, viewer, state),
  };
  return found(detail);
}

/** By name, as people read the list. Two streams of one node have different ids. */
const sortKey = oncePer(({ client, id }: Connection<Proxy>): string => `${client.id} ${client.nodeId} ${id}`);

/** The text that a search looks at, made once per proxy. */
const textOf = oncePer(({ nodeId, workloadName, build, labels }: Proxy): string => {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [nodeId, workloadName, build, ...pairs].join(" ").toLowerCase();
});

function syncDetail({ subscription, target = [] }: Watched, { timeOf }: DeskState): TypeSyncDetail {
  const { type, wildcard, names, sent, acked, sentAt, error, answered, ackedNonce } = subscription;
  return {
    ...typeSyncOf(subscription),
    typeUrl: type.typeUrl,
    wildcard,
    requested: names.size,
    resources: countOf(target, wildcard, names),
    sent: answered ? versionOf(sent) : "",
    acknowledged: ackedNonce === "" ? "" : versionOf(acked),
    ...(sentAt !== undefined && { sentAt: timeOf(sentAt).toISOString() }),
    ...(error !== undefined && { error }),
  };
}

function countOf(
  target: Target,
  wildcard: boolean,
  names: ReadonlySet<string> | { has(name: string): boolean },
): number {
  if (wildcard) return target.reduce((sum, { size }) => sum + size, 0);
  let count = 0;
  for (const set of target) for (const { name } of set) if (names.has(name)) count++;
  return count;
}

function versionOf(target: Target): string {
  return target.reduce((sum, { digest }) => sum + digest, 0n).toString(16);
}

function rejectionsOf({ watched }: Connection<Proxy>, viewer: Viewer, state: DeskState): readonly ProxyRejection[] {
  return watched
    .flatMap(({ subscription }) => rejectedIn(subscription))
    .map(({ objects, ...rest }) => ({ ...rest, objects: visibleLinks(objects, viewer, state) }));
}

function quarantinedFor(client: Proxy, viewer: Viewer, state: DeskState): readonly QuarantinedObject[] {
  const report = state.quarantine();
  const kept = new Set(keptFrom(client, report));
  const refusals = new Map((report?.refusals ?? []).map((refusal) => [refusal.id, refusal]));
  return [...kept].flatMap((id) => {
    const refusal = refusals.get(id);
    const object = linkTo(id, state);
    if (refusal === undefined || !maySee(viewer, object.namespace)) return [];
    const { reason, since, instead } = refusal;
    return [{ object, reason, since: state.timeOf(since).toISOString(), instead: instead.type }];
  });
}

function changesOwedTo({ owedPushes }: Connection<Proxy>, viewer: Viewer, { journal }: DeskState): Shortened<string> {
  const owed = journal.changes.filter((change) => {
    if (change.stage.type !== "pushed" || !isVisible(change, viewer)) return false;
    const { number } = change.stage.push.facts;
    return commonOf(owedPushes, [{ first: number, last: number }]).length > 0;
  });
  return { items: owed.slice(0, shownChanges).map(({ id }) => id), total: owed.length };
}

function scopeOf(client: Proxy, viewer: Viewer, state: DeskState): ProxyScope {
  const push = state.published();
  if (!isSidecar(client)) {
    const services = visibleServices(client.namespace, push).length;
    return { services, why: "no Sidecar narrows a router: it sees every service exported to its namespace" };
  }
  const ref = scopeRefOf(client, push);
  const services = sidecarScopeFor(ref, push).services.length;
  if (ref.sidecar === "") return { services, why: "no Sidecar selects it: it sees every service exported to it" };
  const [namespace = "", name = ""] = ref.sidecar.split("/");
  const why = `the Sidecar ${ref.sidecar} selects it`;
  if (!maySee(viewer, namespace)) return { services, why: "a Sidecar of the root namespace selects it" };
  return { services, sidecar: linkTo(configId("Sidecar", namespace, name), state), why };
}
