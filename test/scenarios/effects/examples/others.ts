import type { Example } from "../proof.ts";
import {
  caller,
  clusterGateway,
  clusterGatewayEndpoints,
  database,
  faraway,
  object,
  proxyless,
  router,
  service,
  settings,
  unredirected,
  workload,
} from "./context.ts";
import { connectionPool } from "./destination-rules.ts";

const host = "reviews.shop.svc.cluster.local";

function gateway(server: object, clients = [router]): Example {
  return {
    subject: object(
      "Gateway",
      "edge",
      { selector: { app: "gw" }, servers: [{ hosts: ["shop.example.com"], ...server }] },
      "istio-system",
    ),
    around: [
      service("reviews"),
      object("VirtualService", "reviews", {
        hosts: ["shop.example.com"],
        gateways: ["istio-system/edge"],
        http: [{ route: [{ destination: { host } }] }],
      }),
    ],
    clients,
  };
}

const https = { number: 443, name: "https", protocol: "HTTPS" };
const files = { serverCertificate: "/certs/a.pem", privateKey: "/certs/a.key", caCertificates: "/certs/ca.pem" };
const checks = {
  minProtocolVersion: "TLSV1_2",
  maxProtocolVersion: "TLSV1_3",
  cipherSuites: ["ECDHE-RSA-AES256-GCM-SHA384"],
  ecdhCurves: ["P-256"],
  subjectAltNames: ["client.example.com"],
  verifyCertificateHash: ["ab".repeat(32)],
  verifyCertificateSpki: [Buffer.alloc(32, 1).toString("base64")],
  caCrl: "/certs/a.crl",
};

const { subjectAltNames: _, ...withoutNames } = checks;

const gateways: readonly Example[] = [
  gateway({ port: { number: 80, name: "http", protocol: "HTTP" } }),
  gateway({
    name: "named",
    port: { number: 80, name: "http", protocol: "HTTP" },
    tls: { httpsRedirect: true },
    bind: "10.0.9.1",
    defaultEndpoint: "127.0.0.1:80",
  }),
  gateway({ name: "named", port: https, tls: { mode: "MUTUAL", ...files, ...checks } }),
  gateway({ port: https, tls: { mode: "MUTUAL", ...files, insecureSkipVerify: true } }),
  gateway({ port: https, tls: { mode: "MUTUAL", credentialName: "secret", caCertCredentialName: "ca" } }),
  gateway({ port: https, tls: { mode: "SIMPLE", credentialNames: ["rsa", "ecdsa"] } }),
  gateway({
    port: https,
    tls: {
      mode: "MUTUAL",
      tlsCertificates: [
        { serverCertificate: "/certs/a.pem", privateKey: "/certs/a.key" },
        { serverCertificate: "/certs/b.pem", privateKey: "/certs/b.key" },
      ],
      caCertificates: "/certs/ca.pem",
    },
  }),
];

const labels = { app: "reviews", version: "v1", "security.istio.io/tlsMode": "istio" };
const entry = {
  address: "10.0.0.7",
  ports: { http: 9090 },
  labels,
  network: "near",
  locality: "eu/b",
  weight: 3,
  serviceAccount: "reviews",
};
const vm = object("WorkloadEntry", "vm", { ...entry, labels: { ...labels, app: "vm" } });
const networks = settings("MeshNetworks", {
  networks: {
    near: {
      endpoints: [{ fromCidr: "10.0.0.0/24" }],
      gateways: [{ address: "10.5.0.1", port: 15_443, locality: "eu/a" }],
    },
  },
});
const strict = object("DestinationRule", "reviews", { host, subsets: [{ name: "v1", labels: { version: "v1" } }] });

const serviceEntries: readonly Example[] = [
  {
    subject: service("reviews", {
      addresses: ["10.1.0.9"],
      endpoints: [entry, { address: "10.0.0.8" }],
      exportTo: ["*"],
      subjectAltNames: ["spiffe://cluster.local/ns/shop/sa/other"],
    }),
    around: [networks, strict],
    clients: [caller, faraway, workload("reviews")],
  },
  {
    subject: service("reviews", {
      ports: [{ number: 8080, name: "http", protocol: "HTTP", targetPort: 9090 }],
      endpoints: [{ address: "10.0.0.1" }],
    }),
    around: [],
    clients: [caller, workload("reviews"), proxyless],
  },
  {
    subject: service("reviews", { endpoints: [], workloadSelector: { labels: { app: "vm" } } }),
    around: [vm],
    clients: [caller],
  },
  {
    subject: service("reviews", {
      location: "MESH_EXTERNAL",
      resolution: "DNS",
      endpoints: [{ address: "a.example.com", locality: "eu/b" }],
    }),
    around: [],
    clients: [caller],
  },
  {
    subject: service("reviews", { endpoints: [{ address: "10.0.0.7", ports: { http: 9090 } }] }),
    around: [],
    clients: [caller],
  },
  { subject: service("reviews", { exportTo: ["."] }), around: [], clients: [caller] },
];

const workloadEntries: readonly Example[] = [
  {
    subject: object("WorkloadEntry", "vm", { address: "10.0.0.7", ports: { http: 9090 }, labels: { app: "vm" } }),
    around: [service("reviews", { endpoints: [], workloadSelector: { labels: { app: "vm" } } })],
    clients: [caller],
  },
  {
    subject: vm,
    around: [service("reviews", { endpoints: [], workloadSelector: { labels: { app: "vm" } } }), strict, networks],
    clients: [caller, faraway],
  },
];

/** A service of the caller itself. */
function own(protocol: string) {
  const spec = {
    hosts: ["own.default.svc.cluster.local"],
    resolution: "STATIC",
    location: "MESH_INTERNAL",
    ports: [{ number: 7070, name: "main", protocol }],
    endpoints: [{ address: "10.0.8.1", labels: { app: "client" } }],
  };
  return object("ServiceEntry", "own", spec, "default");
}

const strictRule = object("DestinationRule", "all", { host, trafficPolicy: { connectionPool } });
function sidecar(spec: object, clients = [caller]): Example {
  return {
    subject: object("Sidecar", "client", { egress: [{ hosts: ["*/*"] }], ...spec }, "default"),
    around: [service("reviews"), service("exit"), own("HTTP"), database(), strictRule],
    clients,
  };
}

const ingress = {
  port: { number: 7070, protocol: "HTTP", name: "in" },
  defaultEndpoint: "127.0.0.1:7071",
  connectionPool,
  captureMode: "DEFAULT",
  bind: "10.0.8.1",
};
const off = object("PeerAuthentication", "off", { mtls: { mode: "DISABLE" } }, "default");

const sidecars: readonly Example[] = [
  sidecar({
    workloadSelector: { labels: { app: "client" } },
    inboundConnectionPool: connectionPool,
    outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
  }),
  sidecar({
    outboundTrafficPolicy: {
      mode: "ALLOW_ANY",
      egressProxy: { host: "exit.shop.svc.cluster.local", port: { number: 8080 }, subset: "v1" },
    },
  }),
  {
    subject: object(
      "Sidecar",
      "client",
      { egress: [{ hosts: ["*/*"] }], inboundConnectionPool: connectionPool },
      "default",
    ),
    around: [own("GRPC")],
    clients: [caller],
  },
  sidecar({ ingress: [ingress], inboundConnectionPool: { http: { maxRetries: 3 } } }),
  // HTTP takes over the idle timeout of TCP if it has none.
  sidecar({ inboundConnectionPool: { tcp: { idleTimeout: "30s" } } }),
  sidecar({ ingress: [{ ...ingress, connectionPool: { tcp: { idleTimeout: "30s" } } }] }),
  sidecar({ ingress: [{ ...ingress, port: { number: 7070, protocol: "HTTP2", name: "in" } }] }),
  sidecar({ ingress: [{ ...ingress, port: { number: 7070, protocol: "TCP", name: "in" } }] }),
  ...[{ mode: "MUTUAL", ...files, ...withoutNames }].map((tls): Example => {
    const example = sidecar({ ingress: [{ ...ingress, port: { number: 7070, protocol: "HTTPS", name: "in" }, tls }] });
    return { ...example, around: [...example.around, off] };
  }),
  sidecar({ ingress: [{ port: { number: 7070, protocol: "HTTP", name: "in" }, defaultEndpoint: "127.0.0.1:7071" }] }, [
    caller,
    unredirected,
  ]),
  sidecar(
    {
      egress: [
        {
          port: { number: 8080, protocol: "HTTP", name: "out" },
          bind: "127.0.0.1",
          captureMode: "NONE",
          hosts: ["shop/*"],
        },
        { hosts: ["default/*"] },
      ],
    },
    [caller, unredirected],
  ),
  sidecar({ egress: [{ port: { number: 3306, protocol: "MYSQL", name: "tcp" }, hosts: ["shop/*"] }] }),
];

const peerAuthentications: readonly Example[] = [
  {
    subject: object("PeerAuthentication", "reviews", {
      selector: { matchLabels: { app: "reviews" } },
      mtls: { mode: "STRICT" },
      portLevelMtls: { 8080: { mode: "DISABLE" } },
    }),
    around: [service("reviews")],
    clients: [workload("reviews"), caller],
  },
];

const meshNetworks: readonly Example[] = [
  { subject: networks, around: [service("reviews")], clients: [caller, faraway] },
  {
    subject: settings("MeshNetworks", {
      networks: {
        near: {
          endpoints: [{ fromRegistry: "Kubernetes" }],
          gateways: [{ registryServiceName: "gw.istio-system.svc.cluster.local", port: 15_443 }],
        },
      },
    }),
    around: [service("reviews"), clusterGateway, clusterGatewayEndpoints],
    clients: [caller, faraway],
  },
];

const proxyConfigs: readonly Example[] = [
  {
    subject: {
      apiVersion: "networking.istio.io/v1beta1",
      kind: "ProxyConfig",
      metadata: { name: "reviews", namespace: "shop" },
      spec: {
        selector: { matchLabels: { app: "reviews" } },
        concurrency: 2,
        environmentVariables: { a: "b" },
        image: { imageType: "distroless" },
      },
    },
    around: [service("reviews")],
    clients: [caller, workload("reviews")],
  },
];

const workloadGroups: readonly Example[] = [
  {
    subject: object("WorkloadGroup", "machines", {
      metadata: { labels: { app: "vm" }, annotations: { a: "b" } },
      template: {
        ports: { http: 9090 },
        labels: { version: "v1" },
        network: "near",
        locality: "eu/a",
        weight: 2,
        serviceAccount: "vm",
      },
      probe: {
        initialDelaySeconds: 1,
        timeoutSeconds: 1,
        periodSeconds: 1,
        successThreshold: 1,
        failureThreshold: 1,
        httpGet: { path: "/", port: 80, host: "127.0.0.1", scheme: "HTTP", httpHeaders: [{ name: "x-a", value: "b" }] },
      },
    }),
    around: [],
    clients: [],
  },
];

export const others: readonly Example[] = [
  ...gateways,
  ...serviceEntries,
  ...workloadEntries,
  ...sidecars,
  ...peerAuthentications,
  ...meshNetworks,
  ...proxyConfigs,
  ...workloadGroups,
];
