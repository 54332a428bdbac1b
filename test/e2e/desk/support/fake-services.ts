import type {
  CallerGroup,
  ConflictListing,
  GatewayListing,
  MeshSummary,
  NamespaceCalls,
  NamespaceDetail,
  ServiceDetail,
  ServiceListing,
  ServiceSummary,
} from "../../../../src/desk/api/model/mesh.ts";
import type { ObjectLink } from "../../../../src/desk/api/model/object-link.ts";
import { reviews } from "./fake-facts.ts";

/** 25 namespaces with 20 services each. */
const names = Array.from({ length: 24 }, (_, index) => `team-${String(index + 1).padStart(2, "0")}`).concat("shop");
const perNamespace = 20;

function object(kind: string, name: string): ObjectLink {
  return { ...reviews, kind, name, id: `${kind}/shop/${name}` };
}

/** `shop` is closed to odd teams, and `team-03` sees only two namespaces. */
function callsBetween(from: string, to: string): NamespaceCalls {
  const odd = Number(from.slice(-1)) % 2 === 1;
  if (from === "team-03" && to !== "team-03" && to !== "shop")
    return { from, to, allowed: 0, depends: 0, denied: perNamespace };
  if (to === "shop" && odd) return { from, to, allowed: 12, depends: 3, denied: 5 };
  return { from, to, allowed: perNamespace, depends: 0, denied: 0 };
}

const mesh: MeshSummary = {
  namespaces: {
    items: names.map((name) => ({
      name,
      services: perNamespace,
      endpoints: 40,
      unhealthy: name === "shop" ? 3 : 0,
      proxies: 80,
    })),
    total: names.length,
  },
  calls: { between: names.flatMap((from) => names.map((to) => callsBetween(from, to))), pending: false },
};

const callers: readonly CallerGroup[] = [
  {
    namespaces: names.slice(0, 12),
    verdict: "allowed",
    reasons: [
      {
        verdict: "allowed",
        text: "an ALLOW policy matches every request of the caller",
        objects: [object("AuthorizationPolicy", "allow-teams")],
      },
    ],
  },
  {
    namespaces: names.slice(12, 23),
    verdict: "depends",
    reasons: [
      {
        verdict: "depends",
        text: "ALLOW policies match some requests, and deny the others",
        objects: [object("AuthorizationPolicy", "allow-get"), object("AuthorizationPolicy", "allow-health")],
      },
    ],
  },
  {
    namespaces: names.slice(23),
    verdict: "denied",
    reasons: [
      {
        verdict: "denied",
        text: "it accepts mutual TLS only, and the caller sends plain text",
        objects: [object("PeerAuthentication", "default"), object("DestinationRule", "legacy")],
      },
    ],
  },
];

const namespacePage: NamespaceDetail = {
  name: "shop",
  services: perNamespace,
  endpoints: 40,
  unhealthy: 3,
  proxies: 80,
  groups: {
    items: [
      {
        services: {
          items: Array.from({ length: 17 }, (_, index) => `service-${index}.shop.svc.cluster.local`),
          total: 17,
        },
        callers,
      },
      {
        services: { items: ["reviews.shop.svc.cluster.local"], total: 1 },
        callers: [{ namespaces: names, verdict: "allowed", reasons: [] }],
      },
    ],
    total: 2,
  },
  rules: { items: [object("Sidecar", "default"), object("AuthorizationPolicy", "allow-get")], total: 2 },
};

const summary: ServiceSummary = {
  id: "shop/reviews.shop.svc.cluster.local",
  hostname: "reviews.shop.svc.cluster.local",
  namespace: "shop",
  ports: [{ number: 9080, protocol: "HTTP", name: "http" }],
  endpoints: 2,
  unhealthy: 1,
  health: "partial",
  exportTo: ["*"],
  object: object("ServiceEntry", "reviews"),
};

const endpoint = { port: 9080, portName: "http", network: "", weight: 1, workload: "reviews-v1", mtls: true } as const;

const service: ServiceDetail = {
  ...summary,
  addresses: ["240.240.0.1"],
  resolution: "static",
  meshExternal: false,
  instances: {
    items: [
      { ...endpoint, address: "10.0.0.3", health: "healthy", locality: "europe/a" },
      { ...endpoint, address: "10.0.0.4", health: "draining", locality: "europe/b" },
    ],
    total: 2,
  },
  proxied: 1,
  routes: {
    items: [
      {
        object: reviews,
        role: "host",
        gateways: ["mesh"],
        rules: {
          items: [
            { match: "header end-user is jason", action: "to reviews.shop.svc.cluster.local (v2)" },
            { match: "every request", action: "90 % to reviews.shop.svc.cluster.local (v1), 10 % to reviews (v2)" },
          ],
          total: 2,
        },
      },
    ],
    total: 1,
  },
  subsets: [
    { name: "v1", labels: { version: "v1" }, endpoints: 2, object: object("DestinationRule", "reviews") },
    { name: "v9", labels: { version: "v9" }, endpoints: 0, object: object("DestinationRule", "reviews") },
  ],
  rules: [object("DestinationRule", "reviews"), object("PeerAuthentication", "default")],
  callers,
  seenBy: 2000,
};

function serviceListing(): ServiceListing {
  const items = Array.from({ length: 60 }, (_, index) => ({
    ...summary,
    id: String(index),
    hostname: `s-${index}.shop`,
  }));
  return {
    items,
    total: items.length,
    facets: { namespace: [{ value: "shop", count: 60 }], health: [{ value: "partial", count: 60 }] },
  };
}

const gateways: GatewayListing = {
  items: [
    {
      host: "shop.example",
      gateway: object("Gateway", "public"),
      ports: [{ number: 443, protocol: "HTTPS", tls: "simple" }],
      proxies: 2,
      owners: [reviews, object("VirtualService", "other")],
    },
    {
      host: "*.example",
      gateway: object("Gateway", "public"),
      ports: [{ number: 80, protocol: "HTTP", tls: "" }],
      proxies: 2,
      owners: [],
    },
  ],
  total: 2,
  facets: { gateway: [{ value: "shop/public", count: 2 }] },
};

const conflicts: ConflictListing = {
  items: [
    {
      type: "virtual-host",
      about: "reviews.shop.svc.cluster.local:9080",
      winner: reviews,
      losers: [object("VirtualService", "reviews-canary")],
      reason: "the older one wins",
    },
  ],
  total: 1,
  pending: false,
};

/** The answers of the mesh screen. */
export function fakeMeshScreen(rest: readonly string[]): unknown {
  const [list, , hostname] = rest;
  if (list === undefined) return mesh;
  if (list === "namespaces") return namespacePage;
  if (list === "services") return hostname === undefined ? serviceListing() : service;
  return list === "gateways" ? gateways : conflicts;
}
