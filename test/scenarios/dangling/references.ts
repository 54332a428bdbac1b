/** A reference to a missing object, and its effect in the mesh of `mesh.yaml`. */
export interface Dangling {
  /** The kinds of referrer and target. */
  readonly name: string;
  /** The reported line contains the word `nowhere`. */
  readonly text: string;
  /** Set for references in the mesh configuration, which are not in an object. */
  readonly settings?: "mesh" | "networks";
  readonly fallback: Fallback;
  /** The codes that `analyze` reports for that line. */
  readonly codes: readonly string[];
}

/** Either the object has no effect, or a request shows the effect. */
type Fallback = "as if absent" | ShownByRequest;

interface ShownByRequest {
  readonly from: "sidecar" | "router" | "grpc";
  readonly url: string;
  readonly ends: string;
}

function request(from: ShownByRequest["from"], url: string, ends: string): Fallback {
  return { from, url, ends };
}

function object(kind: string, spec: string, { namespace = "default", group = "networking" } = {}): string {
  const version = `${group}.istio.io/v1`;
  return `apiVersion: ${version}\nkind: ${kind}\nmetadata: { name: a, namespace: ${namespace} }\nspec:\n${spec}`;
}

const shop = "  hosts: [shop.example]\n  http:\n";
const toShop = "  - route: [{ destination: { host: shop.example } }]\n";

function service(name: string, rest: string): string {
  const spec = `  hosts: [${name}.example]\n  location: MESH_INTERNAL\n  resolution: STATIC\n${rest}`;
  return object("ServiceEntry", spec).replace("name: a", `name: ${name}`);
}

const virtualServices: readonly Dangling[] = [
  {
    name: "a route to a service",
    text: object("VirtualService", `${shop}  - route: [{ destination: { host: nowhere.example } }]`),
    fallback: request("sidecar", "http://shop.example/", "503 cluster outbound|80||nowhere.example does not exist"),
    codes: ["IST0101"],
  },
  {
    name: "a route of a gRPC client to a service",
    text: object("VirtualService", `${shop}  - route: [{ destination: { host: nowhere.example } }]`),
    fallback: request("grpc", "http://shop.example/", "503 cluster outbound|80||nowhere.example does not exist"),
    codes: ["IST0101"],
  },
  {
    name: "a route to a subset",
    text: object("VirtualService", `${shop}  - route: [{ destination: { host: shop.example, subset: nowhere } }]`),
    fallback: request("sidecar", "http://shop.example/", "503 cluster outbound|80|nowhere|shop.example does not exist"),
    codes: ["IST0101"],
  },
  {
    name: "a route to a port",
    text: object(
      "VirtualService",
      `${shop}  - route: [{ destination: { host: shop.example, port: { number: 81 } } }] # nowhere`,
    ),
    fallback: request("sidecar", "http://shop.example/", "503 cluster outbound|81||shop.example does not exist"),
    codes: ["IST0101"],
  },
  {
    name: "a share of a route",
    text: object(
      "VirtualService",
      `${shop}  - route:
    - { weight: 75, destination: { host: shop.example } }
    - { weight: 25, destination: { host: nowhere.example } }`,
    ),
    fallback: request(
      "sidecar",
      "http://shop.example/",
      "0.75 outbound|80||shop.example, 0.25 outbound|80||nowhere.example does not exist",
    ),
    codes: ["IST0101"],
  },
  {
    name: "a route of connections to a service",
    text: `${service("tcp", "  addresses: [10.1.0.7]\n  ports: [{ number: 9000, name: tcp, protocol: TCP }]\n  endpoints: [{ address: 10.0.0.7 }]\n")}---
${object("VirtualService", "  hosts: [tcp.example]\n  tcp:\n  - route: [{ destination: { host: nowhere.example, port: { number: 9000 } } }]")}`,
    fallback: request("sidecar", "tcp://10.1.0.7:9000", "cluster outbound|9000||nowhere.example does not exist"),
    codes: ["IST0101"],
  },
  {
    name: "a route by server name to a service",
    text: `${service("tls", "  ports: [{ number: 443, name: tls, protocol: TLS }]\n  endpoints: [{ address: 10.0.0.7 }]\n")}---
${object("VirtualService", "  hosts: [tls.example]\n  tls:\n  - match: [{ sniHosts: [tls.example] }]\n    route: [{ destination: { host: nowhere.example, port: { number: 443 } } }]")}`,
    fallback: request("sidecar", "https://tls.example/", "cluster outbound|443||nowhere.example does not exist"),
    codes: ["IST0101"],
  },
  {
    name: "a mirror",
    text: object("VirtualService", `${shop}${toShop}    mirror: { host: nowhere.example }`),
    fallback: request("sidecar", "http://shop.example/", "outbound|80||shop.example"),
    codes: ["IST0101"],
  },
  {
    name: "one mirror of several",
    text: object("VirtualService", `${shop}${toShop}    mirrors: [{ destination: { host: nowhere.example } }]`),
    fallback: request("sidecar", "http://shop.example/", "outbound|80||shop.example"),
    codes: ["IST0101"],
  },
  {
    name: "a virtual service to its gateway",
    text: object("VirtualService", `  gateways: [istio-system/nowhere]\n${shop}${toShop}`),
    fallback: "as if absent",
    codes: ["IST0101", "IST0132"],
  },
  {
    name: "a route to its delegate",
    text: object(
      "VirtualService",
      `${shop}  - delegate: { name: nowhere }\n    match: [{ uri: { prefix: /a } }]\n${toShop}`,
    ),
    fallback: request("sidecar", "http://shop.example/a", "outbound|80||shop.example"),
    codes: ["BIN0001"],
  },
  {
    name: "a virtual service to its exportTo namespace",
    text: object("VirtualService", `  exportTo: [nowhere]\n${shop}  - directResponse: { status: 418 }`),
    fallback: "as if absent",
    codes: ["BIN0001"],
  },
];

const destinationRules: readonly Dangling[] = [
  {
    name: "a destination rule to its host",
    text: object("DestinationRule", "  host: nowhere.example"),
    fallback: "as if absent",
    codes: ["IST0174"],
  },
  {
    name: "a destination rule to its credential",
    text: object(
      "DestinationRule",
      "  host: shop.example\n  trafficPolicy:\n    tls:\n      mode: SIMPLE\n      credentialName: nowhere",
    ),
    // Sidecars get secrets only with a workload selector that permits it, and plaintext must not leave.
    fallback: request(
      "sidecar",
      "http://shop.example/",
      "503 cluster outbound|80||shop.example has no endpoints: a rule requires TLS, and this proxy lacks the certificates or the secret for it",
    ),
    codes: ["BIN0001"],
  },
  {
    name: "a destination rule to its workloads",
    text: object(
      "DestinationRule",
      `  host: shop.example
  workloadSelector: { matchLabels: { app: nowhere } }
  trafficPolicy: { connectionPool: { tcp: { maxConnections: 7 } } }`,
    ),
    fallback: "as if absent",
    codes: ["BIN0001"],
  },
  {
    name: "a destination rule to its exportTo namespace",
    text: object(
      "DestinationRule",
      "  host: shop.example\n  exportTo: [nowhere]\n  trafficPolicy: { connectionPool: { tcp: { maxConnections: 7 } } }",
    ),
    fallback: "as if absent",
    codes: ["BIN0001"],
  },
  {
    name: "a subset to its workloads",
    text: `${object("DestinationRule", "  host: shop.example\n  subsets:\n  - { name: v9, labels: { version: nowhere } }")}
---
${object("VirtualService", `${shop}  - route: [{ destination: { host: shop.example, subset: v9 } }]`)}`,
    fallback: request("sidecar", "http://shop.example/", "503 cluster outbound|80|v9|shop.example has no endpoints"),
    codes: ["IST0173"],
  },
];

const gateways: readonly Dangling[] = [
  {
    name: "a gateway to its credential",
    text: object(
      "Gateway",
      `  selector: { app: gw }
  servers:
  - port: { number: 8443, name: https, protocol: HTTPS }
    hosts: ["*"]
    tls: { mode: SIMPLE, credentialName: nowhere }`,
      { namespace: "istio-system" },
    ),
    fallback: request("router", "http://shop.example:8080/", "404 no route of blackhole:8080 matches"),
    codes: ["IST0101"],
  },
  {
    name: "a gateway to its workloads",
    text: object(
      "Gateway",
      '  selector: { app: nowhere }\n  servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: ["*"] }]',
    ),
    fallback: "as if absent",
    codes: ["IST0101"],
  },
  {
    name: "a gateway to a port of its service",
    text: object(
      "Gateway",
      '  selector: { app: gw }\n  servers: [{ port: { number: 8888, name: nowhere, protocol: HTTP }, hosts: ["*"] }]',
      { namespace: "istio-system" },
    ),
    // The address may be reachable without a service.
    fallback: request("router", "http://shop.example:8888/", "404 no route of blackhole:8888 matches"),
    codes: ["IST0162"],
  },
];

const scopes: readonly Dangling[] = [
  {
    name: "a sidecar to a host it imports",
    text: object("Sidecar", '  egress: [{ hosts: ["*/nowhere.example"] }]'),
    fallback: request("sidecar", "http://shop.example/", "PassthroughCluster"),
    codes: ["BIN0001"],
  },
  {
    name: "a sidecar to a namespace it imports",
    text: object("Sidecar", '  egress: [{ hosts: ["nowhere/*", "./*"] }]'),
    fallback: request("sidecar", "http://shop.example/", "outbound|80||shop.example"),
    codes: ["BIN0001"],
  },
  {
    name: "a sidecar to its workloads",
    text: object("Sidecar", '  workloadSelector: { labels: { app: nowhere } }\n  egress: [{ hosts: ["~/*"] }]'),
    fallback: "as if absent",
    codes: ["IST0101"],
  },
  {
    name: "a service entry to its workloads",
    text: service(
      "w",
      "  addresses: [10.1.0.2]\n  ports: [{ number: 80, name: http, protocol: HTTP }]\n  workloadSelector: { labels: { app: nowhere } }",
    ),
    fallback: request("sidecar", "http://w.example/", "503 cluster outbound|80||w.example has no endpoints"),
    codes: ["BIN0001"],
  },
  {
    name: "a service entry to its exportTo namespace",
    text: service(
      "w",
      "  ports: [{ number: 81, name: http, protocol: HTTP }]\n  endpoints: [{ address: 10.0.0.4 }]\n  exportTo: [nowhere]",
    ),
    fallback: "as if absent",
    codes: ["BIN0001"],
  },
  {
    name: "a workload to its network",
    settings: "networks",
    text: `${service("w", "  addresses: [10.1.0.2]\n  ports: [{ number: 80, name: http, protocol: HTTP }]\n  workloadSelector: { labels: { app: w } }")}
---
${object("WorkloadEntry", "  address: 10.0.0.3\n  labels: { app: w }\n  network: nowhere")}`,
    fallback: request("sidecar", "http://w.example/", "outbound|80||w.example"),
    codes: ["BIN0001"],
  },
  {
    name: "a peer authentication to its workloads",
    text: object("PeerAuthentication", "  selector: { matchLabels: { app: nowhere } }\n  mtls: { mode: STRICT }", {
      group: "security",
    }),
    fallback: "as if absent",
    codes: ["BIN0001"],
  },
  {
    name: "access logs to their provider",
    text: object("Telemetry", "  accessLogging: [{ providers: [{ name: nowhere }] }]", { group: "telemetry" }),
    fallback: "as if absent",
    codes: ["BIN0001"],
  },
];

const settings: readonly Dangling[] = [
  {
    name: "the mesh to the provider of its access logs",
    settings: "mesh",
    text: "defaultProviders:\n  accessLogging:\n  - nowhere",
    fallback: "as if absent",
    codes: ["BIN0001"],
  },
  {
    name: "the mesh to its root namespace",
    settings: "mesh",
    text: "rootNamespace: nowhere",
    fallback: "as if absent",
    codes: ["BIN0001"],
  },
];

/** Every kind of reference. */
export const danglings: readonly Dangling[] = [
  ...virtualServices,
  ...destinationRules,
  ...gateways,
  ...scopes,
  ...settings,
];
