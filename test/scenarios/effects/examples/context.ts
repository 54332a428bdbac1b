import type { CatalogueClient } from "../../../../src/testing/mesh/held-leases.ts";
import type { WrittenObject } from "../../../../src/testing/mesh/written-objects.ts";
import { proxyFrom } from "../../../golden/generate.ts";

const groups: ReadonlyMap<string, string> = new Map([
  ["AuthorizationPolicy", "security"],
  ["PeerAuthentication", "security"],
  ["Telemetry", "telemetry"],
]);

export function object(kind: string, name: string, spec: object, namespace = "shop"): WrittenObject {
  const group = groups.get(kind) ?? "networking";
  return { apiVersion: `${group}.istio.io/v1`, kind, metadata: { name, namespace }, spec };
}

export function settings(kind: "MeshConfig" | "MeshNetworks", spec: object): WrittenObject {
  const name = kind === "MeshConfig" ? "mesh" : "networks";
  return { apiVersion: "mesh.istio.io/v1alpha1", kind, metadata: { name }, spec };
}

/** A service of the shop with two ports and endpoints in four places, all of which take mutual TLS. */
export function service(name: string, more: object = {}): WrittenObject {
  const labels = { app: name, "security.istio.io/tlsMode": "istio" };
  return object("ServiceEntry", name, {
    hosts: [`${name}.shop.svc.cluster.local`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [
      { number: 8080, name: "http", protocol: "HTTP" },
      { number: 8090, name: "http-more", protocol: "HTTP" },
    ],
    endpoints: [
      { address: "10.0.0.1", locality: "eu/a/1", labels: { ...labels, version: "v1", tier: "front" } },
      { address: "10.0.0.2", locality: "eu/b/1", labels: { ...labels, version: "v2" } },
      { address: "10.0.0.3", locality: "us/c/1", labels: { ...labels, version: "v1" } },
      { address: "10.0.0.4", locality: "ap/d/1", labels: { ...labels, version: "v1", tier: "front" } },
    ],
    ...more,
  });
}

/** A port for bytes that are not HTTP. */
export function database(more: object = {}): WrittenObject {
  return service("db", { ports: [{ number: 3306, name: "tcp", protocol: "TCP" }], addresses: ["10.1.0.1"], ...more });
}

interface ClientFacts {
  readonly type?: "sidecar" | "router";
  readonly ip: string;
  readonly namespace: string;
  readonly app: string;
  readonly metadata?: Readonly<Record<string, string | object>>;
  readonly typeUrls?: readonly string[];
}

const commonUrls = [
  "io.istio.http.peer_metadata.Config",
  "envoy.extensions.filters.http.wasm.v3.Wasm",
  "envoy.extensions.filters.network.wasm.v3.Wasm",
  "envoy.extensions.filters.http.lua.v3.Lua",
];

function client({
  type = "sidecar",
  ip,
  namespace,
  app,
  metadata = {},
  typeUrls = commonUrls,
}: ClientFacts): CatalogueClient {
  const proxy = proxyFrom({
    id: `${type}~${ip}~${app}-0.${namespace}~${namespace}.svc.cluster.local`,
    locality: { region: "eu", zone: "a", subZone: "1" },
    extensions: [{ name: "a", typeUrls: [...typeUrls] }],
    metadata: {
      CLUSTER_ID: "Kubernetes",
      ISTIO_VERSION: "1.29.6",
      NAMESPACE: namespace,
      SDS_MODE: "agent",
      LABELS: { app, version: "v1", tier: "front", ...(type === "router" && { istio: "ingressgateway" }) },
      ...metadata,
    },
  });
  return { proxy };
}

export const router: CatalogueClient = client({
  type: "router",
  ip: "10.0.9.1",
  namespace: "istio-system",
  app: "gw",
});

/** The router of a Gateway of the Gateway API. */
export const apiRouter: CatalogueClient = client({
  type: "router",
  ip: "10.0.9.2",
  namespace: "shop",
  app: "edge",
  metadata: { LABELS: { "gateway.networking.k8s.io/gateway-name": "edge" } },
});

/** The workload behind the first endpoint of `service`. */
export function workload(app: string): CatalogueClient {
  return client({ ip: "10.0.0.1", namespace: "shop", app });
}

/** The same workload with a later release of Istio's Envoy, which counts requests. */
export function countingWorkload(app: string): CatalogueClient {
  const typeUrls = [...commonUrls, "stats.PluginConfig"];
  return client({ ip: "10.0.0.1", namespace: "shop", app, typeUrls, metadata: { ISTIO_VERSION: "1.30.0" } });
}

export const caller: CatalogueClient = client({ ip: "10.0.8.1", namespace: "default", app: "client" });

/** Listens on its ports itself: nothing is redirected to it. */
export const unredirected: CatalogueClient = client({
  ip: "10.0.8.2",
  namespace: "default",
  app: "client",
  metadata: { INTERCEPTION_MODE: "NONE" },
});

/** A gRPC client without a proxy. */
export const proxyless: CatalogueClient = client({
  ip: "10.0.8.3",
  namespace: "default",
  app: "client",
  metadata: { GENERATOR: "grpc" },
});

/** A caller in another cluster. */
export const foreign: CatalogueClient = client({
  ip: "10.0.8.5",
  namespace: "default",
  app: "client",
  metadata: { CLUSTER_ID: "other" },
});

/** A caller in a network of its own. */
export const faraway: CatalogueClient = client({
  ip: "10.0.8.4",
  namespace: "default",
  app: "client",
  metadata: { NETWORK: "far" },
});

/** A gateway that a cluster of Kubernetes registers, and its one endpoint. */
export const clusterGateway: WrittenObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "gw", namespace: "istio-system" },
  spec: {
    clusterIP: "10.6.0.1",
    externalIPs: ["10.6.0.2"],
    selector: { app: "gw" },
    ports: [{ name: "tls", port: 15_443, targetPort: 15_443 }],
  },
};

export const clusterGatewayEndpoints: WrittenObject = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "gw-1", namespace: "istio-system", labels: { "kubernetes.io/service-name": "gw" } },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.7.0.1"] }],
  ports: [{ name: "tls", port: 15_443, protocol: "TCP" }],
};
