import type { ConfigurationListing, ObjectDetail } from "../../../../src/desk/api/model/configuration.ts";
import type { ControlPlane } from "../../../../src/desk/api/model/control-plane.ts";
import type { ExplainAnswer } from "../../../../src/desk/api/model/explain.ts";
import type { MeshSummary, ServiceDetail, ServiceListing } from "../../../../src/desk/api/model/mesh.ts";
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
  severity: "error",
  issues: 2,
  yaml,
  firstLine: 14,
  labels: {},
  messages: [
    {
      severity: "error",
      code: "IST0101",
      text: "Referenced host+subset in destinationrule not found: reviews+v9",
      path: "spec.http[0].route[1].destination",
      line: 25,
      reference: "mesh/shop/reviews.yaml:25",
    },
    { severity: "warning", code: "BIN0003", text: "Another object has the same hosts", path: "" },
  ],
  precedence: [
    { source: "file:./mesh", reference: "mesh/shop/reviews.yaml:14", wins: true },
    { source: "etcd://10.0.0.5:2379/mesh", wins: false },
  ],
  quarantine: { reason: "route: unknown cluster 'outbound|9080|v9|reviews.shop.svc.cluster.local'", keptFrom: 40 },
  generated: {
    proxies: 40,
    upToDate: 38,
    resources: { items: [{ type: "RDS", name: "9080", proxies: 40 }], total: 1 },
    nodes: ["sidecar~10.0.0.3~reviews-v1-0003.shop~shop.svc.cluster.local"],
  },
};

export function objectListing(): ConfigurationListing {
  const { yaml: _, ...summary } = yamlObject;
  return {
    items: [
      summary,
      { ...reviews, id: "b", name: "ratings", apiVersion: "networking.istio.io/v1", version: "1", issues: 0 },
    ],
    total: 2,
    facets: {
      kind: [{ value: "VirtualService", count: 2 }],
      namespace: [{ value: "shop", count: 2 }],
      source: [{ value: "file:./mesh", count: 2 }],
      severity: [{ value: "error", count: 1 }],
    },
  };
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
      passedOver: [{ name: "virtualOutbound", why: "a more specific listener matches" }],
      owners: [],
    },
    { type: "route", name: "reviews", why: "the path begins with /", notes: [], passedOver: [], owners: [reviews] },
    {
      type: "cluster",
      name: cluster,
      why: "the weight is 90 of 100",
      notes: ["requests are balanced by ROUND_ROBIN"],
      passedOver: [],
      owners: [reviews],
      share: 0.9,
      endpoints: [{ address: "10.0.0.3:9080", transport: "mutual TLS", priority: 0 }],
    },
  ],
  decidedBy: [{ object: reviews, part: "spec.http[0]" }],
  nearMisses: [{ text: "The route for end-user: jason needs that header", object: reviews }],
  issues: [],
};

export const mesh: MeshSummary = {
  namespaces: [
    { name: "shop", services: 300, endpoints: 1200, unhealthy: 3, proxies: 1900, sees: ["*"] },
    { name: "billing", services: 12, endpoints: 24, unhealthy: 0, proxies: 100, sees: ["billing", "shop"] },
  ],
  gateways: [
    {
      object: { ...reviews, kind: "Gateway" },
      hosts: { items: ["shop.example"], total: 4 },
      ports: [80, 443],
      proxies: 2,
    },
  ],
  conflicts: {
    items: [
      {
        type: "host",
        about: "reviews.shop",
        winner: reviews,
        losers: [{ ...reviews, id: "b" }],
        reason: "The older one wins.",
      },
    ],
    total: 1,
  },
};

export const service: ServiceDetail = {
  id: "shop/reviews.shop.svc.cluster.local",
  hostname: "reviews.shop.svc.cluster.local",
  namespace: "shop",
  ports: [{ number: 9080, protocol: "HTTP", name: "http" }],
  endpoints: 2,
  unhealthy: 1,
  exportTo: ["*"],
  object: { ...reviews, kind: "ServiceEntry" },
  addresses: ["240.240.0.1"],
  resolution: "STATIC",
  instances: {
    items: [
      { address: "10.0.0.3", port: 9080, healthy: true, locality: "europe/a", network: "", weight: 1 },
      { address: "10.0.0.4", port: 9080, healthy: false, locality: "europe/b", network: "", weight: 1 },
    ],
    total: 2,
  },
  rules: [reviews],
  seenBy: 2000,
};

export function serviceListing(): ServiceListing {
  return { items: [service], total: 1, facets: { namespace: [{ value: "shop", count: 1 }] } };
}

export const controlPlane: ControlPlane = {
  version: "0.2.0",
  commit: "0123456",
  startedAt: earlier,
  addresses: { xds: "127.0.0.1:15010", http: "127.0.0.1:8080", mcp: "off" },
  streams: { total: 2000, sotw: 12, delta: 1988 },
  queue: { waiting: 3, longestWaitMs: 12, settled: false },
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
    stalls: 0,
  },
  load: { level: "normal" },
  certificates: [{ name: "xds", subject: "CN=binnacle", expires: at }],
  logLevels: { default: "info", xds: "debug" },
  problems: [],
};
