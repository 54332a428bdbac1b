import { claimMatch, everyAction, everyMatch } from "../../../e2e/routes/every-feature.ts";
import type { Example } from "../proof.ts";
import { caller, database, object, proxyless, router, service, workload } from "./context.ts";

const host = "reviews.shop.svc.cluster.local";
const route = [{ destination: { host } }];

const subsets = object("DestinationRule", "reviews", {
  host,
  subsets: ["v1", "v2"].map((version) => ({ name: version, labels: { version } })),
});
const gateway = object(
  "Gateway",
  "edge",
  {
    selector: { app: "gw" },
    servers: [
      { port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] },
      { port: { number: 3306, name: "tcp", protocol: "TCP" }, hosts: ["*"] },
      { port: { number: 8443, name: "tls", protocol: "TLS" }, hosts: ["*"], tls: { mode: "PASSTHROUGH" } },
    ],
  },
  "istio-system",
);
const around = [service("reviews"), service("ratings"), subsets, gateway];

function inside(http: readonly object[], more: object = {}): Example {
  return { subject: object("VirtualService", "reviews", { hosts: [host], http, ...more }), around, clients: [caller] };
}

function outside(http: readonly object[]): Example {
  const spec = { hosts: ["shop.example.com"], gateways: ["istio-system/edge"], http };
  return { subject: object("VirtualService", "reviews", spec), around, clients: [router] };
}

/** Matches that hold, or do not, for the caller. */
const sources = [
  { match: [{ uri: { prefix: "/a" }, sourceLabels: { app: "client" }, port: 8080, gateways: ["mesh"] }], route },
  { match: [{ uri: { prefix: "/b" }, sourceNamespace: "default" }], route },
  { route },
];

const layerFour = (more: object) => [
  { match: [more], route: [{ destination: { host: "db.shop.svc.cluster.local" } }] },
];
const weighted = [
  { destination: { host: "db.shop.svc.cluster.local", port: { number: 3306 } }, weight: 10 },
  { destination: { host: "tls.shop.svc.cluster.local", port: { number: 8443 }, subset: "v1" }, weight: 90 },
];
const around4 = [
  database({
    ports: [
      { number: 3306, name: "tcp", protocol: "TCP" },
      { number: 3307, name: "more", protocol: "TCP" },
    ],
  }),
  service("tls", {
    ports: [
      { number: 8443, name: "tls", protocol: "TLS" },
      { number: 8444, name: "tls-more", protocol: "TLS" },
    ],
    addresses: ["10.1.0.2"],
  }),
  object("DestinationRule", "tls", {
    host: "tls.shop.svc.cluster.local",
    subsets: [{ name: "v1", labels: { version: "v1" } }],
  }),
  gateway,
];

function bytes(spec: object): Example {
  return {
    subject: object("VirtualService", "bytes", { hosts: ["db.shop.svc.cluster.local"], ...spec }),
    around: around4,
    clients: [caller, router],
  };
}

function encrypted(match: object, more: object = {}): Example {
  return {
    subject: object("VirtualService", "bytes", {
      hosts: ["tls.shop.svc.cluster.local", "a.example.com"],
      tls: [{ match: [{ sniHosts: ["tls.shop.svc.cluster.local", "a.example.com"], ...match }], route: weighted }],
      ...more,
    }),
    around: around4,
    clients: [caller, router],
  };
}

const delegate = object("VirtualService", "delegate", { http: [{ name: "delegated", route }] });
const elsewhere = object("VirtualService", "delegate", { http: [{ name: "elsewhere", route }] }, "default");

export const virtualServices: readonly Example[] = [
  inside(sources),
  ...everyMatch.map((each) => inside([each])),
  ...everyAction.map((each) => inside([each])),
  outside([claimMatch, { route }]),
  outside([{ match: [{ uri: { prefix: "/a" }, gateways: ["istio-system/edge"], port: 80 }], route }, { route }]),
  outside([{ redirect: { prefixRewrite: "/new", redirectCode: 302 } }]),
  outside([{ fault: { delay: { fixedDelay: "1s", percent: 5 } }, route }]),
  outside([{ corsPolicy: { allowOrigin: ["https://a"] }, route }]),
  outside([{ corsPolicy: { allowOrigins: [{ prefix: "https://a" }] }, route }]),
  outside([{ mirror: { host, subset: "v2", port: { number: 8080 } }, mirrorPercent: 5, route }]),
  outside([
    { mirrors: [{ destination: { host, subset: "v2", port: { number: 8080 } }, percentage: { value: 5 } }], route },
  ]),
  outside([
    {
      route: [
        { destination: { host, subset: "v1", port: { number: 8080 } }, weight: 1 },
        { destination: { host: "ratings.shop.svc.cluster.local", port: { number: 8090 } }, weight: 2 },
      ],
    },
  ]),
  {
    subject: object("VirtualService", "reviews", {
      hosts: [host],
      http: [{ delegate: { name: "delegate", namespace: "default" } }],
    }),
    around: [...around, delegate, elsewhere],
    clients: [caller],
  },
  {
    subject: object("VirtualService", "reviews", {
      hosts: [host],
      exportTo: ["."],
      http: [{ name: "a", timeout: "5s", route }],
    }),
    around,
    clients: [caller, workload("reviews"), proxyless],
  },
  bytes({ tcp: [{ route: weighted }] }),
  bytes({ tcp: layerFour({ port: 3306, destinationSubnets: ["10.1.0.0/16"] }) }),
  bytes({ tcp: layerFour({ sourceLabels: { app: "client" }, gateways: ["mesh"] }) }),
  bytes({ tcp: layerFour({ sourceNamespace: "default" }) }),
  bytes({ tcp: layerFour({ sourceSubnet: "10.0.8.0/24" }) }),
  bytes({ tcp: layerFour({ port: 3306 }), gateways: ["istio-system/edge"] }),
  encrypted({ port: 8443, destinationSubnets: ["10.1.0.0/16"] }),
  encrypted({ sourceLabels: { app: "client" }, gateways: ["mesh"] }),
  encrypted({ sourceNamespace: "default" }),
  encrypted({}, { gateways: ["mesh", "istio-system/edge"] }),
];
