import type { ConfigurationListing, ObjectDetail, ReachedProxy } from "../../../../src/desk/api/model/configuration.ts";
import type { ControlPlane } from "../../../../src/desk/api/model/control-plane.ts";
import type { ExplainAnswer } from "../../../../src/desk/api/model/explain.ts";
import type { Listing } from "../../../../src/desk/api/model/listing.ts";
import { at, earlier, reviews } from "./fake-facts.ts";

const yaml = `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: reviews
  namespace: shop
spec:
  hosts: [reviews.shop.svc.cluster.local]
  http:
    - route:
        - destination: { host: reviews, subset: v1 }
          weight: 90
        - destination: { host: reviews, subset: v9 }
          weight: 10
`;

export const yamlObject: ObjectDetail = {
  ...reviews,
  apiVersion: "networking.istio.io/v1",
  version: "9f86d081",
  state: "in use",
  severity: "error",
  issues: 2,
  yaml,
  firstLine: 14,
  written: true,
  labels: {},
  messages: [
    {
      severity: "error",
      code: "IST0101",
      text: "Referenced host+subset in destinationrule not found: reviews+v9",
      path: "spec.http[0].route[1].destination",
      line: 25,
      reference: "mesh/shop/reviews.yaml:25",
      documentation: "https://istio.io/latest/docs/reference/config/analysis/ist0101/",
    },
    {
      severity: "warning",
      code: "IST0109",
      text: "Another object has the same hosts",
      path: "",
      documentation: "https://istio.io/latest/docs/reference/config/analysis/ist0109/",
    },
  ],
  precedence: [
    { source: "file:./mesh", reference: "mesh/shop/reviews.yaml:14", wins: true },
    { source: "etcd://10.0.0.5:2379/mesh", wins: false },
  ],
  quarantine: [
    {
      class: "sidecar 1.37.0",
      reason: "route: unknown cluster 'outbound|9080|v9|reviews.shop.svc.cluster.local'",
      since: earlier,
      keptFrom: 40,
      instead: "earlier version",
    },
  ],
  generated: {
    proxies: 40,
    upToDate: 38,
    resources: { items: [{ type: "RDS", name: "9080", proxies: 40 }], total: 1 },
  },
};

const ratings = { ...reviews, id: "VirtualService/shop/ratings", name: "ratings" };

export function objectListing(): ConfigurationListing {
  const { yaml: _, ...summary } = yamlObject;
  return {
    items: [summary, { ...ratings, apiVersion: "", version: "", state: "not in use", severity: "error", issues: 1 }],
    total: 2,
    facets: {
      kind: [{ value: "VirtualService", count: 2 }],
      namespace: [{ value: "shop", count: 2 }],
      source: [{ value: "file:./mesh", count: 2 }],
      severity: [{ value: "error", count: 2 }],
    },
    unreadable: {
      items: [
        {
          severity: "error",
          code: "IST0106",
          text: "Schema validation error: the document is not YAML: a flow sequence is not closed",
          reference: "mesh/shop/broken.yaml:2",
        },
      ],
      total: 1,
    },
  };
}

export function reachedListing(proxies: readonly { readonly node: string }[]): Listing<ReachedProxy> {
  const items = proxies.slice(0, 40).map(({ node }) => ({ node, namespace: "shop", upToDate: true, resources: 1 }));
  return { items, total: items.length };
}

const cluster = "outbound|9080|v1|reviews.shop.svc.cluster.local";

export const explained: ExplainAnswer = {
  outcome: { type: "forwarded", targets: [{ cluster, share: 0.9 }] },
  steps: [
    {
      type: "listener",
      name: "0.0.0.0_9080",
      why: "it listens on port 9080",
      notes: [],
      passedOver: { items: [{ name: "virtualOutbound", why: "a more specific listener matches" }], total: 1 },
      owners: { items: [], total: 0 },
    },
    {
      type: "route",
      name: "reviews",
      why: "the path begins with /",
      notes: [],
      passedOver: { items: [], total: 0 },
      owners: { items: [reviews], total: 1 },
    },
    {
      type: "cluster",
      name: cluster,
      why: "the weight is 90 of 100",
      notes: ["requests are balanced by ROUND_ROBIN"],
      passedOver: { items: [], total: 0 },
      owners: { items: [reviews], total: 1 },
      share: 0.9,
      endpoints: { items: [{ address: "10.0.0.3:9080", transport: "mutual TLS", priority: 0 }], total: 1 },
    },
  ],
  decidedBy: [{ object: reviews, part: "spec.http[0]" }],
  nearMisses: { items: [{ why: "needs the header end-user: jason", object: reviews }], total: 1 },
};

export const controlPlane: ControlPlane = {
  version: "0.2.0",
  commit: "0123456",
  startedAt: earlier,
  addresses: { xds: "127.0.0.1:15010", http: "127.0.0.1:8080", mcp: "off" },
  streams: { total: 2000, sotw: 12, delta: 1988, desks: 3, slowDesks: 1 },
  queue: {
    waiting: 3,
    longestWaitMs: 12,
    settled: false,
    debounce: { afterMs: 10, maxMs: 1000 },
    pushesLastMinute: 14,
  },
  pushPhases: {
    debounce: { count: 14, p50: 10, p99: 12 },
    build: { count: 14, p50: 31, p99: 90 },
    acknowledge: { count: 14, p50: 18, p99: 240 },
  },
  process: {
    uptimeMs: 180_000,
    heapUsedBytes: 210_000_000,
    heapLimitBytes: 4_100_000_000,
    rssBytes: 420_000_000,
    eventLoopDelayMs: 11.2,
    watchdog: { type: "on", stallMs: 5000, stalls: 0 },
  },
  load: {
    level: "elevated",
    reason: "the event loop is delayed by 300 ms",
    advice: "add replicas, or limit the services that proxies see (Sidecar)",
    resources: [
      { name: "event loop", unit: "ms", value: 300, elevated: 250 },
      { name: "heap", unit: "share", value: 0.31, elevated: 0.8 },
    ],
    work: [
      { name: "removals", pace: "usual", shed: 0 },
      { name: "streams", pace: "slower", shed: 12 },
    ],
  },
  certificates: [{ name: "xds", subject: "CN=binnacle", expires: at }],
  log: {
    scopes: [
      { name: "default", doc: "all other lines", level: "info" },
      { name: "xds", doc: "proxies and pushes to them", level: "debug" },
    ],
    levels: ["debug", "info", "warn", "error", "silent"],
  },
  problems: [],
};
