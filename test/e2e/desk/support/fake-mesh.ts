import type { ChangeDetail, ChangeSummary } from "../../../../src/desk/api/model/changes.ts";
import type { Overview } from "../../../../src/desk/api/model/overview.ts";
import type {
  ProxyDetail,
  ProxyDiff,
  ProxyListing,
  ProxyResource,
  ProxySummary,
  ResourceDiff,
  ResourceListing,
  ScopeListing,
  TypeSync,
} from "../../../../src/desk/api/model/proxies.ts";
import type { Session } from "../../../../src/desk/api/model/session.ts";
import type { FakeApi } from "./fake-desk.ts";
import { fakeHistory } from "./fake-history.ts";
import { controlPlane, explained, objectListing, reachedListing, yamlObject } from "./fake-objects.ts";
import { fakeMeshScreen } from "./fake-services.ts";
import { at, earlier, reviews } from "./fake-facts.ts";
import { fakeRollouts } from "./fake-rollouts.ts";

/** Envoy's words when a route names a cluster that it does not have. */
export const envoysWords =
  "Error adding/updating listener(s) 0.0.0.0_9080: route: unknown cluster 'outbound|9080|v9|reviews.shop.svc.cluster.local'";

const session: Session = {
  viewer: { type: "operator", mayChange: true },
  by: "local",
  endpoints: [
    "/overview",
    "/changes",
    "/history",
    "/rollouts",
    "/proxies",
    "/proxies/NODE/resources",
    "/proxies/NODE/services",
    "/proxies/NODE/diff",
    "/configuration",
    "/configuration/KIND/NAMESPACE/NAME",
    "/explain",
    "/mesh",
    "/control-plane",
  ],
  server: { version: "0.2.0", commit: "0123456", start: "fake", startedAt: earlier },
};

export function change(id: string, rest: Partial<ChangeSummary> = {}): ChangeSummary {
  return {
    id,
    at,
    objects: { items: [{ ...reviews, operation: "updated" }], total: 1 },
    endpointsOnly: false,
    state: { type: "acknowledged" },
    delivery: {
      sent: 2000,
      acknowledged: 2000,
      rejected: 0,
      disconnected: 0,
      behind: 0,
      latency: { p50: 18, p99: 240, last: 412 },
    },
    ...rest,
  };
}

const sending = change("c-103", {
  state: { type: "sending" },
  delivery: {
    sent: 2000,
    acknowledged: 1310,
    rejected: 2,
    disconnected: 1,
    behind: 687,
    latency: { p50: 21, p99: 300, last: 380 },
  },
});
const refused = change("c-102", {
  at: earlier,
  state: { type: "rejected" },
  delivery: {
    sent: 40,
    acknowledged: 38,
    rejected: 2,
    disconnected: 0,
    behind: 0,
    latency: { p50: 21, p99: 300, last: 380 },
  },
});
const changes = [
  sending,
  refused,
  change("c-101", { at: earlier, objects: { items: [{ ...reviews, operation: "added" }], total: 12 } }),
  change("c-100", {
    at: earlier,
    state: { type: "not pushed" },
    delivery: { sent: 0, acknowledged: 0, rejected: 0, disconnected: 0, behind: 0 },
  }),
];

const overview: Overview = {
  at,
  health: "degraded",
  advice: [
    {
      severity: "error",
      text: "2 proxies reject LDS because of VirtualService shop/reviews",
      action: "Proxies like these keep the last version that they accepted. Correct the object.",
      link: "/changes/c-102",
    },
    { severity: "warning", text: "The source etcd is stale", action: "Look at the sources", link: "/" },
  ],
  proxies: { total: 2000, synced: 1311, behind: 687, rejecting: 2 },
  sources: [
    { name: "file:./mesh", state: "synced", lastHeard: at, objects: 10_412, issues: 3, lost: 0 },
    {
      name: "etcd://10.0.0.5:2379/mesh",
      state: "stale",
      reason: "connection refused",
      staleSince: earlier,
      lastHeard: earlier,
      objects: 12,
      issues: 0,
      lost: 1,
    },
  ],
  issues: {
    errors: 1,
    warnings: 4,
    infos: 0,
    pending: false,
    worst: [
      {
        severity: "error",
        code: "BIN0001",
        text: "mapping values are not allowed here",
        reference: "mesh/broken.yaml:3",
      },
      {
        severity: "warning",
        code: "IST0101",
        text: "Referenced host+subset in destinationrule not found: reviews+v9",
        reference: "mesh/shop/reviews.yaml:14",
        object: reviews,
      },
    ],
  },
  pushes: { lastMinute: 14, perMinute: Array.from({ length: 30 }, (_, minute) => (minute * 7) % 23) },
  changes,
};

export const proxyCount = 2000;

const types: readonly TypeSync[] = ["CDS", "EDS", "LDS", "RDS"].map((type) => ({ type, status: "SYNCED" }));

export const proxies: readonly ProxySummary[] = Array.from({ length: proxyCount }, (_, index) => {
  const name = `reviews-v${1 + (index % 3)}-${String(index).padStart(4, "0")}.shop`;
  const rejecting = index === 3;
  const behind = !rejecting && index % 9 === 4;
  return {
    node: `sidecar~10.0.${index >> 8}.${index & 255}~${name}~shop.svc.cluster.local`,
    name,
    namespace: "shop",
    type: "sidecar",
    version: "1.40.0",
    cluster: "Kubernetes",
    connectedAt: earlier,
    mode: "delta",
    state: rejecting ? "rejecting" : behind ? "behind" : "synced",
    types: rejecting
      ? types.with(2, { type: "LDS", status: "ERROR" })
      : behind
        ? types.with(3, { type: "RDS", status: "STALE" })
        : types,
  };
});

function detailOf(proxy: ProxySummary): ProxyDetail {
  const rejecting = proxy.state === "rejecting";
  return {
    ...proxy,
    address: "127.0.0.1:51234",
    addresses: ["10.0.0.3"],
    labels: { app: "reviews", version: "v1" },
    locality: "europe/a",
    network: "",
    workload: "reviews-v1",
    serviceAccount: "reviews",
    sync: proxy.types.map((sync) => ({
      ...sync,
      typeUrl: `type.googleapis.com/envoy.config.${sync.type}`,
      wildcard: sync.type === "CDS" || sync.type === "LDS",
      requested: 12,
      resources: 311,
      sent: "9f86d081884c7d65",
      acknowledged: sync.status === "SYNCED" ? "9f86d081884c7d65" : "60303ae22b998861",
      sentAt: at,
      ...(sync.status === "ERROR" && { error: envoysWords }),
    })),
    rejections: rejecting
      ? [{ type: "LDS", message: envoysWords, resources: ["0.0.0.0_9080"], objects: [reviews] }]
      : [],
    quarantined: rejecting
      ? [{ object: reviews, reason: envoysWords, since: earlier, instead: "earlier version" }]
      : [],
    behind: proxy.state === "behind" ? { items: ["c-103"], total: 1 } : { items: [], total: 0 },
    scope: {
      services: 311,
      why: "No Sidecar narrows the scope: the proxy sees every service that is exported to its namespace.",
    },
  };
}

const story: ChangeDetail = {
  ...refused,
  objects: { items: [{ ...reviews, operation: "updated" }], total: 1 },
  push: {
    number: 1204,
    at: earlier,
    reasons: ["config"],
    debouncedMs: 10.4,
    buildMs: 31.2,
    changes: { items: ["c-102", "c-101"], total: 2 },
    types: [
      { type: "LDS", responses: 40, resources: 40, removed: 0, bytes: 184_000 },
      { type: "RDS", responses: 38, resources: 76, removed: 0, bytes: 51_200 },
    ],
  },
  behind: { items: [], total: 0 },
  rejections: {
    items: [
      {
        type: "LDS",
        message: envoysWords,
        resources: ["0.0.0.0_9080"],
        objects: [reviews],
        proxies: 2,
        nodes: proxies.slice(3, 5).map(({ node }) => node),
        quarantined: true,
      },
    ],
    total: 1,
  },
};

function resourcesOf(query: URLSearchParams): readonly ProxyResource[] {
  const type = query.get("type") ?? "CDS";
  return Array.from({ length: 100 }, (_, index) => ({
    type,
    name: `outbound|9080|v${index}|reviews.shop.svc.cluster.local`,
    status: index === 1 ? "STALE" : "SYNCED",
    version: "9f86d081884c7d65",
    bytes: 1234 + index,
    owners: { items: index === 0 ? [] : [reviews], total: index },
  }));
}

const resourceFacets: ResourceListing["facets"] = {
  type: ["CDS", "EDS", "LDS", "RDS"].map((value) => ({ value, count: proxyCount })),
  status: [{ value: "SYNCED", count: proxyCount }],
};

const services: ScopeListing = {
  items: [
    {
      hostname: "reviews.shop.svc.cluster.local",
      namespace: "shop",
      ports: [9080],
      why: "imported by egress[0] of the Sidecar",
      object: reviews,
    },
  ],
  total: 1,
  facets: { namespace: [], why: [] },
};

function diffWith(query: URLSearchParams): ProxyDiff {
  const none = { items: [], total: 0 };
  const name = "outbound|9080|v1|reviews.shop.svc.cluster.local";
  return {
    node: "here",
    with: query.get("with") ?? "",
    types: [
      { type: "CDS", equal: 1999, different: { items: [name], total: 1 }, onlyHere: none, onlyThere: none },
      { type: "LDS", equal: 12, different: none, onlyHere: { items: ["0.0.0.0_9080"], total: 1 }, onlyThere: none },
    ],
  };
}

const resourceDiff: ResourceDiff = {
  type: "CDS",
  name: "outbound|9080|v1|reviews.shop.svc.cluster.local",
  differences: {
    items: [
      { path: "connect_timeout", here: "10s", there: "1s" },
      { path: "filters[1]", here: { name: "envoy.filters.network.upstream.metadata_exchange" } },
    ],
    total: 2,
  },
};

/** Everything about one proxy. */
function ofProxy(proxy: ProxySummary, rest: readonly string[], query: URLSearchParams): unknown {
  const [part, name] = rest;
  if (part === undefined) return detailOf(proxy);
  if (part === "services") return services;
  if (part === "diff") return name === undefined ? diffWith(query) : resourceDiff;
  if (name === undefined) return { items: resourcesOf(query), total: proxyCount, facets: resourceFacets };
  return {
    ...resourcesOf(query)[1],
    content,
    parts: [{ path: "filters[0]", object: reviews, patch: "configPatches[0]" }],
  };
}

const content = {
  name: "outbound|9080|v1|reviews.shop.svc.cluster.local",
  type: "EDS",
  connectTimeout: "10s",
  edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: "V3" } },
  filters: [{ name: "istio.metadata_exchange", typedConfig: { "@type": "type.googleapis.com/x", on: true, depth: 3 } }],
};

/** Pages, search and one filter, as the real API has them. */
function proxyListing(query: URLSearchParams): ProxyListing {
  const search = query.get("search") ?? "";
  const state = query.get("state");
  const found = proxies.filter((proxy) => proxy.node.includes(search) && (state === null || proxy.state === state));
  const start = Number(query.get("cursor") ?? 0);
  const end = start + Number(query.get("limit") ?? 100);
  return {
    items: found.slice(start, end),
    total: found.length,
    ...(end < found.length && { next: String(end) }),
    facets: {
      state: [
        { value: "synced", count: 1777 },
        { value: "behind", count: 222 },
        { value: "rejecting", count: 1 },
      ],
      namespace: [{ value: "shop", count: proxyCount }],
      type: [{ value: "sidecar", count: proxyCount }],
      version: [{ value: "1.40.0", count: proxyCount }],
    },
  };
}

/** A mesh with 2 000 proxies in which something is wrong. */
export const fakeMesh: FakeApi = (path, query) => {
  const [, screen, ...rest] = path.split("/").map(decodeURIComponent);
  if (screen === "session") return session;
  if (screen === "overview") return overview;
  if (screen === "changes" && rest.length === 0) return { items: changes, total: changes.length };
  if (screen === "changes") return { ...story, ...changes.find(({ id }) => id === rest[0]) };
  if (screen === "proxies" && rest.length === 0) return proxyListing(query);
  if (screen === "configuration" && rest.length === 0) return objectListing();
  if (screen === "configuration") return rest.length === 3 ? yamlObject : reachedListing(proxies);
  if (screen === "explain") return explained;
  if (screen === "rollouts") return fakeRollouts;
  if (screen === "history") return fakeHistory(rest);
  if (screen === "mesh") return fakeMeshScreen(rest);
  if (screen === "control-plane") return controlPlane;
  const proxy = proxies.find(({ node }) => node === rest[0]);
  if (screen !== "proxies" || proxy === undefined) return undefined;
  return ofProxy(proxy, rest.slice(1), query);
};
