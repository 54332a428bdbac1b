import type { WrittenObject } from "../../../../src/testing/mesh/written-objects.ts";
import type { Example } from "../proof.ts";
import { apiRouter, caller, object, router, service, workload } from "./context.ts";

const manager = "envoy.filters.network.http_connection_manager";
const host = "reviews.shop.svc.cluster.local";
const buffer = {
  name: "buffer",
  typed_config: {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer",
    max_request_bytes: 1024,
  },
};
const insertion = { operation: "INSERT_BEFORE", value: buffer };
const httpFilter = { filter: { name: manager, subFilter: { name: "envoy.filters.http.router" } } };
const timeout = { operation: "MERGE", value: { connect_timeout: "3s" } };
const header = { operation: "MERGE", value: { request_headers_to_remove: ["x-a"] } };

function envoyFilter(spec: object, name = "subject"): WrittenObject {
  return {
    apiVersion: "networking.istio.io/v1alpha3",
    kind: "EnvoyFilter",
    metadata: { name, namespace: "istio-system" },
    spec,
  };
}

const around = [
  service("reviews"),
  object("DestinationRule", "reviews", { host, subsets: [{ name: "v1", labels: { version: "v1" } }] }),
  object(
    "Gateway",
    "edge",
    {
      selector: { app: "gw" },
      servers: [
        {
          port: { number: 443, name: "https", protocol: "HTTPS" },
          hosts: ["shop.example.com"],
          tls: { mode: "SIMPLE", serverCertificate: "/certs/a.pem", privateKey: "/certs/a.key" },
        },
      ],
    },
    "istio-system",
  ),
  object("VirtualService", "reviews", {
    hosts: ["shop.example.com"],
    gateways: ["istio-system/edge"],
    http: [{ name: "all", route: [{ destination: { host } }] }],
  }),
];

function patched(configPatches: readonly object[], more: object = {}): Example {
  return { subject: envoyFilter({ configPatches, ...more }), around, clients: [router, workload("reviews"), caller] };
}

const matches: readonly object[] = [
  {
    context: "SIDECAR_INBOUND",
    proxy: { proxyVersion: "1\\.29.*", metadata: { CLUSTER_ID: "Kubernetes" } },
    listener: {
      name: "virtualInbound",
      portNumber: 8080,
      portName: "http",
      filterChain: {
        name: "0.0.0.0_8080",
        destinationPort: 8080,
        transportProtocol: "tls",
        transportSocket: "tls",
        ...httpFilter,
      },
    },
  },
  { context: "SIDECAR_INBOUND", listener: { filterChain: { applicationProtocols: "http/1.1,h2c", ...httpFilter } } },
  { context: "GATEWAY", listener: { filterChain: { sni: "shop.example.com", ...httpFilter } } },
];
const routes = {
  portNumber: 443,
  portName: "https",
  gateway: "istio-system/edge",
  name: "https.443.https.edge.istio-system",
};

export const envoyFilters: readonly Example[] = [
  ...matches.map((match) =>
    patched([{ applyTo: "HTTP_FILTER", match, patch: { ...insertion, filterClass: "AUTHN" } }]),
  ),
  patched([
    {
      applyTo: "NETWORK_FILTER",
      match: { context: "SIDECAR_INBOUND", listener: { filterChain: { filter: { name: manager } } } },
      patch: {
        operation: "INSERT_BEFORE",
        value: {
          name: "limit",
          typed_config: {
            "@type": "type.googleapis.com/envoy.extensions.filters.network.connection_limit.v3.ConnectionLimit",
            stat_prefix: "a",
            max_connections: 10,
          },
        },
      },
    },
  ]),
  patched([
    {
      applyTo: "LISTENER_FILTER",
      match: { listener: { name: "virtualInbound", listenerFilter: "envoy.filters.listener.tls_inspector" } },
      patch: { operation: "REMOVE" },
    },
  ]),
  ...[routes, { name: routes.name, portNumber: 443 }].map((routeConfiguration) =>
    patched([
      {
        applyTo: "HTTP_ROUTE",
        match: {
          context: "GATEWAY",
          routeConfiguration: {
            ...routeConfiguration,
            vhost: {
              name: "shop.example.com:443",
              domainName: "shop.example.com",
              route: { name: "all", action: "ROUTE" },
            },
          },
        },
        patch: header,
      },
    ]),
  ),
  patched([
    { applyTo: "CLUSTER", match: { cluster: { portNumber: 8080, service: host, subset: "v1" } }, patch: timeout },
  ]),
  patched([{ applyTo: "CLUSTER", match: { cluster: { name: `outbound|8080||${host}` } }, patch: timeout }]),
  patched([{ applyTo: "CLUSTER", patch: timeout }], { workloadSelector: { labels: { app: "reviews" } } }),
  patched([{ applyTo: "CLUSTER", patch: timeout }], {
    workloadLabels: { app: "reviews" },
    filters: [
      {
        listenerMatch: { portNumber: 80, portNamePrefix: "http", address: ["10.0.0.1"] },
        insertPosition: { index: "BEFORE", relativeTo: "a" },
        filterType: "HTTP",
        filterName: "a",
        filterConfig: { a: "b" },
      },
    ],
  }),
  // The order of two filters that set the same field.
  {
    subject: envoyFilter({ priority: 2, configPatches: [{ applyTo: "CLUSTER", patch: timeout }] }),
    around: [
      ...around,
      envoyFilter(
        {
          priority: 1,
          configPatches: [{ applyTo: "CLUSTER", patch: { operation: "MERGE", value: { connect_timeout: "4s" } } }],
        },
        "other",
      ),
    ],
    clients: [caller],
  },
  {
    subject: {
      ...envoyFilter({
        targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" }],
        configPatches: [{ applyTo: "CLUSTER", patch: timeout }],
      }),
      metadata: { name: "subject", namespace: "shop" },
    },
    around,
    clients: [apiRouter],
  },
  patched([
    {
      applyTo: "HTTP_FILTER",
      match: {
        context: "WAYPOINT",
        waypoint: { portNumber: 80, route: { name: "a" }, filter: { name: manager, subFilter: { name: "a" } } },
      },
      patch: insertion,
    },
  ]),
];
