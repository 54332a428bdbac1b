import { pairs, rootCertificate } from "../../src/testing/config/fake-certificates.ts";
import type { WrittenObject } from "../../src/testing/mesh/written-objects.ts";

const host = "one.a.svc.cluster.local";

function object(kind: string, name: string, spec: object, version = "v1"): WrittenObject {
  return { apiVersion: `networking.istio.io/${version}`, kind, metadata: { namespace: "a", name }, spec };
}

function settings(kind: string, spec: object): WrittenObject {
  return { apiVersion: "mesh.istio.io/v1alpha1", kind, metadata: { name: kind.toLowerCase() }, spec };
}

function policy(name: string, spec: object): WrittenObject {
  const apiVersion = "security.istio.io/v1";
  return { apiVersion, kind: "AuthorizationPolicy", metadata: { namespace: "a", name }, spec };
}

/** In the root namespace, so that it applies to proxies of all kinds. */
function extension(kind: string, name: string, spec: object): WrittenObject {
  return { apiVersion: "extensions.istio.io/v1alpha1", kind, metadata: { namespace: "istio-system", name }, spec };
}

const echo = {
  name: "envoy.filters.network.echo",
  typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.network.echo.v3.Echo" },
};

function patch(applyTo: string, operation: string, value: object): object {
  return { applyTo, patch: { operation, value } };
}

/** Objects that together use every memo and every family. */
export const coveringObjects: readonly WrittenObject[] = [
  settings("MeshNetworks", {
    networks: {
      south: {
        gateways: [
          { address: "192.0.2.2", port: 15443 },
          { address: "192.0.2.3", port: 15443 },
        ],
      },
    },
  }),
  object("ServiceEntry", "one", {
    hosts: [host],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [
      { number: 80, name: "http", protocol: "HTTP" },
      { number: 81, name: "tcp", protocol: "TCP" },
      { number: 82, name: "more", protocol: "TCP" },
    ],
    endpoints: [
      { address: "10.0.0.1", labels: { app: "x", "security.istio.io/tlsMode": "istio" }, network: "north" },
      { address: "10.0.1.1", labels: { app: "x", "security.istio.io/tlsMode": "istio" }, network: "south" },
    ],
  }),
  {
    ...object("RequestAuthentication", "one", {
      jwtRules: [
        { issuer: "one", jwks: '{"keys":[]}' },
        {
          issuer: "two",
          jwksUri: "https://two.example.com/keys",
          outputClaimToHeaders: [{ header: "x-a", claim: "a" }],
        },
      ],
    }),
    apiVersion: "security.istio.io/v1",
  },
  object("VirtualService", "one", {
    hosts: [host, "one.example.com"],
    gateways: ["mesh", "edge"],
    http: [
      {
        fault: { abort: { httpStatus: 503, percentage: { value: 1 } } },
        corsPolicy: { allowOrigins: [{ exact: "https://example.com" }], maxAge: "60s" },
        route: [{ destination: { host, port: { number: 80 } } }],
      },
    ],
  }),
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "a", name: "shop-cert" },
    stringData: { "tls.crt": pairs.one.certificate, "tls.key": pairs.one.key, "ca.crt": rootCertificate },
  },
  object("Gateway", "edge", {
    selector: { app: "edge" },
    servers: [
      {
        port: { number: 443, name: "https", protocol: "HTTPS" },
        hosts: ["one.example.com"],
        tls: { mode: "SIMPLE", serverCertificate: "/certs/one.crt", privateKey: "/certs/one.key" },
      },
      {
        port: { number: 444, name: "credentials", protocol: "HTTPS" },
        hosts: ["two.example.com"],
        tls: { mode: "MUTUAL", credentialNames: ["shop-cert", "kubernetes-gateway://a/shop-cert"] },
      },
      { port: { number: 15443, name: "tls", protocol: "TLS" }, hosts: ["*.local"], tls: { mode: "AUTO_PASSTHROUGH" } },
    ],
  }),
  object("DestinationRule", "one", {
    host,
    trafficPolicy: {
      loadBalancer: { consistentHash: { httpHeaderName: "x-user" } },
      portLevelSettings: [{ port: { number: 81 }, tls: { mode: "DISABLE" } }],
    },
  }),
  policy("one", { action: "DENY", rules: [{ to: [{ operation: { paths: ["/one"], ports: ["80"] } }] }] }),
  policy("two", { targetRefs: [{ group: "networking.istio.io", kind: "ServiceEntry", name: "one" }], rules: [{}] }),
  policy("none", {}),
  settings("MeshConfig", {
    accessLogFile: "/dev/stdout",
    extensionProviders: [
      { name: "otel", opentelemetry: { service: host, port: 80 } },
      { name: "als", envoyHttpAls: { service: host, port: 80 } },
    ],
  }),
  {
    apiVersion: "telemetry.istio.io/v1",
    kind: "Telemetry",
    metadata: { namespace: "a", name: "one" },
    spec: {
      accessLogging: [{ providers: [{ name: "als" }], filter: { expression: "true" } }],
      tracing: [{ providers: [{ name: "otel" }], randomSamplingPercentage: 5 }],
      metrics: [{ providers: [{ name: "prometheus" }] }],
    },
  },
  // Two egress listeners import different ports of one service. The ingress listener could bind the port of another.
  object("Sidecar", "default", {
    ingress: [
      { port: { number: 8080, name: "http", protocol: "HTTP" }, defaultEndpoint: "127.0.0.1:80", captureMode: "NONE" },
    ],
    egress: [
      { port: { number: 81, name: "tcp", protocol: "TCP" }, hosts: ["./*"] },
      { port: { number: 82, name: "more", protocol: "TCP" }, hosts: ["./*"] },
    ],
  }),
  // Filters of requests and of connections, some only on one port.
  extension("WasmPlugin", "http", {
    url: "oci://hub.example.com/one:v1",
    imagePullSecret: "pull",
    match: [{ ports: [{ number: 80 }] }],
  }),
  extension("WasmPlugin", "network", { url: "file:///opt/two.wasm", type: "NETWORK" }),
  extension("TrafficExtension", "script", { lua: { inlineCode: "-- nothing" } }),
  // A patch of every sort of resources.
  object(
    "EnvoyFilter",
    "one",
    {
      configPatches: [
        patch("CLUSTER", "MERGE", { connect_timeout: "3s" }),
        patch("CLUSTER", "ADD", { name: "added", type: "STATIC", load_assignment: { cluster_name: "added" } }),
        patch("LISTENER", "MERGE", { tcp_backlog_size: 64 }),
        patch("LISTENER", "ADD", {
          name: "added",
          address: { socket_address: { address: "127.0.0.1", port_value: 9999 } },
          filter_chains: [{ filters: [echo] }],
        }),
        patch("HTTP_ROUTE", "MERGE", { request_headers_to_remove: ["x-a"] }),
        patch("EXTENSION_CONFIG", "ADD", echo),
      ],
    },
    "v1alpha3",
  ),
];
