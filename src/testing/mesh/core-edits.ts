import fc from "fast-check";
import type { CoreObject } from "./core-object.ts";
import { telemetries } from "./telemetry-edits.ts";
import { tokenPolicies } from "./token-edits.ts";
import type { ObjectEdit, WrittenObject } from "./written-objects.ts";

const one = "one.a.svc.cluster.local";
const two = "two.a.svc.cluster.local";
const three = "three.b.svc.cluster.local";

const http = { number: 80, name: "p80", protocol: "HTTP", targetPort: 8080 };
const grpc = { number: 81, name: "p81", protocol: "GRPC", targetPort: 9000 };
const tcp = { number: 82, name: "p82", protocol: "TCP", targetPort: 7002 };
const marked = { version: "v1", "security.istio.io/tlsMode": "istio" };

/** Says what the service is, and has no endpoints: its edits change the service and nothing else. */
const definition: CoreObject = {
  kind: "ServiceEntry",
  spec: { hosts: [one], ports: [http, tcp], resolution: "STATIC", location: "MESH_INTERNAL" },
  others: [
    { ports: [http] },
    { ports: [grpc] },
    { ports: [{ ...http, protocol: "TCP" }, tcp] },
    { ports: [{ ...http, protocol: "GRPC" }] },
    { ports: [tcp] },
    // None that the endpoints below are for.
    { ports: [{ ...http, number: 83, name: "p83" }] },
    { resolution: "DNS" },
    { location: "MESH_EXTERNAL" },
    { addresses: ["10.9.0.7"] },
    { exportTo: ["."] },
    { exportTo: ["b"] },
  ],
};

/** Endpoints of the same service, by a younger declaration. */
const endpoints: CoreObject = {
  kind: "ServiceEntry",
  name: "endpoints",
  spec: {
    hosts: [one],
    ports: [http, grpc, tcp],
    resolution: "STATIC",
    location: "MESH_INTERNAL",
    endpoints: [{ address: "10.0.0.1", labels: marked }],
  },
  others: [
    { endpoints: [{ address: "10.0.0.2", labels: marked }] },
    { endpoints: [{ address: "10.0.0.1", labels: { version: "v2" } }] },
    { endpoints: [{ address: "10.0.0.1", labels: marked, serviceAccount: "one" }] },
    { ports: [grpc, tcp] },
    { ports: [{ ...http, targetPort: 9000 }, tcp] },
  ],
};

/** Names that clients resolve: their endpoints stand in the cluster. */
const resolved: CoreObject = {
  kind: "ServiceEntry",
  namespace: "b",
  spec: {
    hosts: [three],
    ports: [http],
    resolution: "DNS",
    location: "MESH_INTERNAL",
    endpoints: [{ address: "three.example.com", labels: { ...marked, app: "x" } }],
  },
  others: [
    { endpoints: [{ address: "other.example.com", labels: marked }] },
    { ports: [http, tcp] },
    { exportTo: ["."] },
  ],
};

/** A service that another namespace may have, too. */
const foreign: CoreObject = {
  kind: "ServiceEntry",
  namespace: "b",
  name: "foreign",
  spec: { hosts: [two], ports: [http, tcp], resolution: "STATIC", location: "MESH_INTERNAL" },
  others: [{ ports: [{ ...http, protocol: "TCP" }] }, { ports: [tcp] }, { addresses: ["10.9.0.8"] }],
};

const to = (host: string, more: object = {}) => [{ route: [{ destination: { host, ...more } }] }];
const connectionsTo = (host: string) => [{ match: [{ port: 82 }], ...to(host, { port: { number: 82 } })[0] }];

/** Requests and connections to one service go to another, from sidecars and through the gateway. */
const routes: CoreObject = {
  kind: "VirtualService",
  spec: { hosts: [one], gateways: ["a/x", "mesh"], http: to(one), tcp: connectionsTo(one) },
  others: [
    { http: to(two) },
    { http: to(three) },
    { http: to(one, { subset: "v1" }) },
    { http: to(one, { port: { number: 81 } }) },
    { http: [{ delegate: { name: "delegate", namespace: "a" } }] },
    { tcp: connectionsTo(two) },
    { tcp: [] },
    { hosts: [two] },
    { gateways: ["mesh"] },
    { gateways: ["a/x"] },
    { exportTo: ["."] },
  ],
};

const servers = [
  { port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] },
  { port: { number: 82, name: "tcp", protocol: "TCP" }, hosts: ["*"] },
  { port: { number: 15443, name: "auto", protocol: "TLS" }, hosts: ["*.local"], tls: { mode: "AUTO_PASSTHROUGH" } },
];
const gateway: CoreObject = {
  kind: "Gateway",
  name: "x",
  spec: { selector: { app: "edge" }, servers },
  others: [{ servers: servers.slice(0, 2) }, { servers: servers.slice(1) }],
};

const hashed = { loadBalancer: { consistentHash: { httpHeaderName: "x-user" } } };
const rule: CoreObject = {
  kind: "DestinationRule",
  spec: { host: one, trafficPolicy: hashed },
  others: [
    { trafficPolicy: { loadBalancer: { consistentHash: { useSourceIp: true } } } },
    { trafficPolicy: { loadBalancer: { simple: "RANDOM" } } },
    { trafficPolicy: { connectionPool: { tcp: { maxConnections: 7 } } } },
    { trafficPolicy: { tls: { mode: "DISABLE" } } },
    { subsets: [{ name: "v1", labels: { version: "v1" } }] },
    { host: "*.a.svc.cluster.local" },
    { host: two },
    { exportTo: ["."] },
  ],
};

/** Proxies of this namespace see other services by the routes of one host alone. */
const narrow: CoreObject = {
  kind: "Sidecar",
  namespace: "b",
  spec: { egress: [{ hosts: [`*/${one}`] }] },
  others: [
    { egress: [{ hosts: [`*/${two}`] }] },
    { egress: [{ hosts: ["./*"] }] },
    { egress: [{ hosts: ["*/*"] }] },
    { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" } },
  ],
};

/** The proxy binds one of its ports by itself, where it may listen for an endpoint of the headless Service. */
const binding: CoreObject = {
  kind: "Sidecar",
  spec: {
    workloadSelector: { labels: { app: "x" } },
    // The same name means another service on this port than on all others.
    egress: [{ port: { number: 82, protocol: "TCP", name: "own" }, hosts: [`b/${two}`] }, { hosts: ["a/*"] }],
  },
  others: ["10.0.7.1", "10.0.7.2"].map((bind) => ({
    ingress: [
      {
        port: { number: 82, protocol: "TCP", name: "in" },
        bind,
        captureMode: "NONE",
        defaultEndpoint: "127.0.0.1:7000",
      },
    ],
  })),
};

const selected = { selector: { matchLabels: { app: "x" } }, portLevelMtls: { 8080: { mode: "DISABLE" } } };
const policies: readonly CoreObject[] = ["a", "b", "istio-system"].map((namespace) => ({
  kind: "PeerAuthentication",
  namespace,
  spec: { mtls: { mode: "PERMISSIVE" } },
  others: [
    { mtls: { mode: "STRICT" } },
    { mtls: { mode: "DISABLE" } },
    { mtls: { mode: "DISABLE" } },
    ...(namespace === "istio-system" ? [] : [selected]),
  ],
}));

const objects = [
  definition,
  endpoints,
  resolved,
  foreign,
  routes,
  gateway,
  rule,
  narrow,
  binding,
  ...policies,
  ...tokenPolicies,
  ...telemetries,
];

function groupOf(kind: string): string {
  if (kind === "Telemetry") return "telemetry";
  return kind.endsWith("Authentication") ? "security" : "networking";
}

function written({ kind, namespace = "a", name = "core" }: CoreObject, spec: object): WrittenObject {
  const group = groupOf(kind);
  return { apiVersion: `${group}.istio.io/v1`, kind, metadata: { namespace, name }, spec };
}

/** Objects that name each other, so that nearly every edit of one alters what others lead to. */
export const coreObjects: readonly WrittenObject[] = objects.map((each) => written(each, each.spec));

/** One of them as it is at first, or with one field changed, or away. */
export const coreEdit: fc.Arbitrary<ObjectEdit> = fc.constantFrom(...objects).chain((object) =>
  fc.record({
    object: fc.constantFrom({}, {}, ...object.others).map((changed) => written(object, { ...object.spec, ...changed })),
    deleted: fc.nat(5).map((chance) => chance === 0),
  }),
);
