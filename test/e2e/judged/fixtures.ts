import { claimMatch, everyAction, everyMatch } from "../routes/every-feature.ts";
import { policyFixtures, providerFixtures } from "./policy-fixtures.ts";

const host = "reviews.shop.svc.cluster.local";

function object(kind: string, name: string, spec: object, namespace = "shop") {
  const group = kind === "PeerAuthentication" ? "security" : "networking";
  return { apiVersion: `${group}.istio.io/v1`, kind, metadata: { name, namespace }, spec };
}

/** Of an endpoint that takes mutual TLS. */
const mutual = { "security.istio.io/tlsMode": "istio" };

function entry(name: string, port: number, protocol: string, more: object = {}) {
  return object("ServiceEntry", name, {
    hosts: [`${name}.shop.svc.cluster.local`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: port, name: "main", protocol }],
    endpoints: [
      {
        address: "127.0.0.2",
        locality: "eu/a/1",
        labels: { app: name, version: "v1", ...mutual },
        weight: 1,
        network: "n1",
      },
      {
        address: "127.0.0.3",
        locality: "us/c",
        labels: { app: name, version: "v2", ...mutual },
        ports: { main: 9090 },
      },
    ],
    ...more,
  });
}

const outlierDetection = {
  consecutive5xxErrors: 5,
  consecutiveGatewayErrors: 3,
  consecutiveLocalOriginFailures: 2,
  splitExternalLocalOriginErrors: true,
  interval: "5s",
  baseEjectionTime: "30s",
  maxEjectionPercent: 50,
  minHealthPercent: 10,
  outlierDetectionHttpErrorCodes: [429, 503],
};

const connectionPool = {
  tcp: {
    maxConnections: 10,
    connectTimeout: "2s",
    idleTimeout: "30s",
    maxConnectionDuration: "60s",
    tcpKeepalive: { time: "60s", interval: "5s", probes: 3 },
  },
  http: {
    http1MaxPendingRequests: 5,
    http2MaxRequests: 6,
    maxRetries: 7,
    maxRequestsPerConnection: 8,
    idleTimeout: "50s",
    maxConcurrentStreams: 9,
    http2KeepAlive: { interval: "5s", timeout: "2s" },
  },
};

function rule(name: string, trafficPolicy: object) {
  const subsets = ["v1", "v2"].map((version) => ({ name: version, labels: { version } }));
  return object("DestinationRule", name, { host: `${name}.shop.svc.cluster.local`, trafficPolicy, subsets });
}

const cookie = { name: "who", ttl: "60s", path: "/", attributes: [{ name: "SameSite", value: "Lax" }] };

const longestHost = `${`${"l".repeat(61)}.`.repeat(4)}com`;

/** A mesh of which every object is right, and that uses nearly every field of every kind that proxies hear of. */
export const fixtures = [
  entry("reviews", 8080, "HTTP"),
  entry("grpc", 8081, "GRPC"),
  entry("db", 3306, "TCP", { addresses: ["10.1.0.1"] }),
  entry("tls", 8443, "TLS"),
  entry("auto", 8082, ""),
  // As long as a host may be.
  entry("long", 8088, "HTTP", { hosts: [longestHost] }),
  entry("dns", 8083, "HTTP", { resolution: "DNS", endpoints: [{ address: "localhost", locality: "eu/a" }] }),
  entry("rounds", 8084, "HTTP", { resolution: "DNS_ROUND_ROBIN", endpoints: [{ address: "localhost" }] }),
  entry("none", 8085, "TCP", { resolution: "NONE", endpoints: [], addresses: ["10.2.0.0/16"] }),
  entry("wild", 8086, "HTTP", { resolution: "DYNAMIC_DNS", hosts: ["*.wild.example.com"], endpoints: [] }),
  entry("selecting", 8087, "HTTP", {
    endpoints: [],
    workloadSelector: { labels: { app: "vm" } },
    subjectAltNames: ["a"],
  }),
  object("WorkloadEntry", "vm", {
    address: "127.0.0.4",
    labels: { app: "vm" },
    ports: { main: 80 },
    locality: "eu/b",
    weight: 2,
  }),
  rule("reviews", {
    loadBalancer: { consistentHash: { httpCookie: cookie, ringHash: { minimumRingSize: 64 } } },
    connectionPool,
    outlierDetection,
    portLevelSettings: [
      { port: { number: 8080 }, connectionPool, outlierDetection, loadBalancer: { simple: "RANDOM" } },
    ],
    retryBudget: { percent: 25, minRetryConcurrency: 2 },
  }),
  rule("grpc", {
    retryBudget: { percent: 25, minRetryConcurrency: 2, budgetInterval: "10s" },
    loadBalancer: { consistentHash: { useSourceIp: true, maglev: { tableSize: 65_537 } } },
    tls: { mode: "SIMPLE", sni: "x.example.com", subjectAltNames: ["x.example.com"], credentialName: "secret" },
  }),
  rule("dns", {
    loadBalancer: { simple: "LEAST_REQUEST", warmup: { duration: "30s", minimumPercent: 20, aggression: 2 } },
    outlierDetection,
    tls: { mode: "ISTIO_MUTUAL", sni: "x.example.com", subjectAltNames: ["spiffe://cluster.local/ns/a/sa/b"] },
  }),
  rule("auto", {
    outlierDetection,
    loadBalancer: {
      simple: "ROUND_ROBIN",
      localityLbSetting: { distribute: [{ from: "eu/*", to: { "eu/*": 80, "us/*": 20 } }] },
      warmupDurationSecs: "30s",
    },
    connectionPool: { http: { h2UpgradePolicy: "UPGRADE" } },
  }),
  rule("db", {
    outlierDetection,
    loadBalancer: { localityLbSetting: { failover: [{ from: "eu", to: "us" }], failoverPriority: ["app"] } },
    proxyProtocol: { version: "V2" },
  }),
  rule("selecting", { tunnel: { protocol: "CONNECT", targetHost: "a.example.com", targetPort: 443 } }),
  object("VirtualService", "inside", { hosts: [host], http: [...everyMatch, ...everyAction] }),
  object("VirtualService", "outside", {
    hosts: ["*"],
    gateways: ["edge"],
    http: [claimMatch, ...everyMatch, ...everyAction],
  }),
  object("VirtualService", "layer-four", {
    hosts: ["db.shop.svc.cluster.local"],
    tcp: [
      {
        match: [{ port: 3306, destinationSubnets: ["10.1.0.0/16"] }],
        route: [
          { destination: { host: "db.shop.svc.cluster.local" }, weight: 10 },
          { destination: { host: "tls.shop.svc.cluster.local" }, weight: 90 },
        ],
      },
    ],
  }),
  object("VirtualService", "passed-on", {
    hosts: ["*.example.com", "tls.shop.svc.cluster.local"],
    gateways: ["edge", "mesh"],
    tls: [
      {
        match: [{ port: 8443, sniHosts: ["a.example.com"] }],
        route: [{ destination: { host: "tls.shop.svc.cluster.local" } }],
      },
    ],
  }),
  object("Gateway", "edge", {
    selector: { app: "gw" },
    servers: [
      { port: { number: 10_080, name: "http", protocol: "HTTP" }, hosts: ["*"], tls: { httpsRedirect: false } },
      {
        port: { number: 10_443, name: "https", protocol: "HTTPS" },
        hosts: ["b.example.com", "shop/c.example.com"],
        tls: {
          mode: "MUTUAL",
          credentialName: "secret",
          minProtocolVersion: "TLSV1_2",
          maxProtocolVersion: "TLSV1_3",
          cipherSuites: ["ECDHE-RSA-AES256-GCM-SHA384"],
          subjectAltNames: ["client.example.com"],
          verifyCertificateHash: ["ab".repeat(32)],
          verifyCertificateSpki: [Buffer.alloc(32, 1).toString("base64")],
        },
      },
      {
        port: { number: 10_443, name: "other", protocol: "HTTPS" },
        hosts: ["d.example.com"],
        tls: { mode: "SIMPLE", credentialName: "other" },
      },
      {
        port: { number: 10_444, name: "tls", protocol: "TLS" },
        hosts: ["*.example.com"],
        tls: { mode: "PASSTHROUGH" },
      },
      {
        port: { number: 10_445, name: "auto", protocol: "TLS" },
        hosts: ["*.local"],
        tls: { mode: "AUTO_PASSTHROUGH" },
      },
      { port: { number: 10_306, name: "tcp", protocol: "TCP" }, hosts: ["*"], bind: "127.0.0.1" },
    ],
  }),
  object("VirtualService", "gateway-tcp", {
    hosts: ["*"],
    gateways: ["edge"],
    tcp: [{ match: [{ port: 10_306 }], route: [{ destination: { host: "db.shop.svc.cluster.local" } }] }],
  }),
  object(
    "Sidecar",
    "client",
    {
      workloadSelector: { labels: { app: "client" } },
      ingress: [
        {
          port: { number: 7070, protocol: "HTTP", name: "in" },
          defaultEndpoint: "127.0.0.1:7071",
          connectionPool,
          captureMode: "DEFAULT",
          bind: "127.0.0.9",
        },
        { port: { number: 7072, protocol: "TCP", name: "tcp" }, defaultEndpoint: "unix:///tmp/a.sock" },
      ],
      egress: [
        { port: { number: 7080, protocol: "HTTP", name: "out" }, bind: "127.0.0.1", hosts: ["*/*"] },
        { port: { number: 7081, protocol: "TCP", name: "mysql" }, bind: "127.0.0.1", hosts: ["shop/*"] },
        { port: { number: 7082, protocol: "HTTP_PROXY", name: "proxy" }, bind: "127.0.0.1", hosts: ["*/*"] },
        { hosts: ["*/*"] },
      ],
      outboundTrafficPolicy: { mode: "ALLOW_ANY" },
      inboundConnectionPool: connectionPool,
    },
    "default",
  ),
  object(
    "PeerAuthentication",
    "strict",
    {
      selector: { matchLabels: { app: "client" } },
      mtls: { mode: "PERMISSIVE" },
      portLevelMtls: { 7070: { mode: "DISABLE" } },
    },
    "default",
  ),
  ...policyFixtures,
];

/** Settings of the mesh, as the file has them. */
export const meshFixture = {
  accessLogFile: "/dev/null",
  accessLogFormat: "[%START_TIME%] %REQ(:METHOD)% %RESPONSE_CODE%\n",
  accessLogEncoding: "TEXT",
  connectTimeout: "5s",
  protocolDetectionTimeout: "0.1s",
  tcpKeepalive: { time: "120s", interval: "5s", probes: 3 },
  tlsDefaults: { cipherSuites: ["ECDHE-RSA-AES256-GCM-SHA384"], ecdhCurves: ["P-256"], minProtocolVersion: "TLSV1_2" },
  meshMTLS: { minProtocolVersion: "TLSV1_2", cipherSuites: ["ECDHE-RSA-AES256-GCM-SHA384"], ecdhCurves: ["P-256"] },
  outboundClusterStatName: "%SERVICE_FQDN%_%SUBSET_NAME%_%SERVICE_PORT%",
  inboundClusterStatName: "%SERVICE%",
  dnsRefreshRate: "60s",
  h2UpgradePolicy: "UPGRADE",
  outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
  defaultHttpRetryPolicy: { attempts: 3, perTryTimeout: "2s", retryOn: "5xx", backoff: "0.05s" },
  localityLbSetting: { distribute: [{ from: "eu/*", to: { "eu/*": 80, "us/*": 20 } }] },
  trustDomain: "cluster.local",
  trustDomainAliases: ["old.local"],
  extensionProviders: providerFixtures,
  defaultConfig: {
    tracing: {
      sampling: 10,
      maxPathTagLength: 256,
      customTags: { a: { literal: { value: "b" } }, h: { header: { name: "x-h", defaultValue: "d" } } },
    },
    gatewayTopology: { numTrustedProxies: 1, forwardClientCertDetails: "SANITIZE" },
    proxyHeaders: { forwardedClientCert: "APPEND_FORWARD", server: { value: "me" }, preserveHttp1HeaderCase: true },
  },
};

/** One network that is reached through a gateway. */
export const networksFixture = {
  networks: {
    n1: {
      endpoints: [{ fromRegistry: "Kubernetes" }, { fromCidr: "10.3.0.0/16" }],
      gateways: [{ address: "127.0.0.8", port: 15_443, locality: "eu/a" }],
    },
  },
};
