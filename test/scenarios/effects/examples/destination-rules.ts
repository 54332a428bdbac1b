import type { Example } from "../proof.ts";
import { caller, database, object, proxyless, router, service, workload } from "./context.ts";

export const outlierDetection = {
  consecutive5xxErrors: 5,
  consecutiveGatewayErrors: 3,
  splitExternalLocalOriginErrors: true,
  interval: "5s",
  baseEjectionTime: "30s",
  maxEjectionPercent: 50,
  minHealthPercent: 10,
  outlierDetectionHttpErrorCodes: [500, 503],
};

export const connectionPool = {
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

/** A rule with a policy for the whole host, for one of its ports, for a subset, and for a port of the subset. */
function everywhere(port: object, whole: object = {}, name = "reviews") {
  const policy = (number: number) => ({ ...port, ...whole, portLevelSettings: [{ port: { number }, ...port }] });
  return object("DestinationRule", name, {
    host: `${name}.shop.svc.cluster.local`,
    trafficPolicy: policy(name === "db" ? 3306 : 8080),
    subsets: [{ name: "v1", labels: { version: "v1" }, trafficPolicy: policy(name === "db" ? 3306 : 8080) }],
  });
}

/** One port of two is another matter. */
const perPort = {
  connectionPool: { tcp: { connectTimeout: "1s" } },
  portLevelSettings: [{ port: { number: 8080 }, connectionPool: { tcp: { connectTimeout: "3s" } } }],
};

const cookie = { name: "who", ttl: "60s", path: "/", attributes: [{ name: "SameSite", value: "Lax" }] };
const consistentHash = { httpCookie: cookie, ringHash: { minimumRingSize: 64 } };
const failover = { enabled: true, failover: [{ from: "eu", to: "us" }] };

const around = [
  service("reviews"),
  object(
    "Gateway",
    "edge",
    {
      selector: { app: "gw" },
      servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
    },
    "istio-system",
  ),
  object("VirtualService", "reviews", {
    hosts: ["reviews.shop.svc.cluster.local"],
    gateways: ["mesh", "istio-system/edge"],
    http: [
      ...[8080, 8090].map((number) => ({
        match: [{ uri: { prefix: `/whole/${number}` } }],
        route: [{ destination: { host: "reviews.shop.svc.cluster.local", port: { number } } }],
      })),
      {
        match: [{ port: 8090 }],
        route: [{ destination: { host: "reviews.shop.svc.cluster.local", subset: "v1", port: { number: 8090 } } }],
      },
      { route: [{ destination: { host: "reviews.shop.svc.cluster.local", subset: "v1", port: { number: 8080 } } }] },
    ],
  }),
];
const clients = [caller, router];
const http = (subject: Example["subject"]): Example => ({ subject, around, clients });

const files = { clientCertificate: "/certs/a.pem", privateKey: "/certs/a.key", caCertificates: "/certs/ca.pem" };

export const destinationRules: readonly Example[] = [
  http(everywhere({ loadBalancer: { consistentHash }, connectionPool, outlierDetection })),
  http(everywhere({ loadBalancer: { consistentHash: { useSourceIp: true, maglev: { tableSize: 65_537 } } } })),
  http(everywhere({ loadBalancer: { consistentHash: { httpHeaderName: "x-user" } } })),
  http(
    everywhere({
      outlierDetection,
      loadBalancer: { simple: "ROUND_ROBIN", warmup: { duration: "30s", minimumPercent: 20, aggression: 2 } },
    }),
  ),
  http(
    everywhere({
      outlierDetection,
      loadBalancer: { localityLbSetting: { distribute: [{ from: "eu/*", to: { "eu/*": 80, "us/*": 20 } }] } },
    }),
  ),
  http(everywhere({ outlierDetection, loadBalancer: { localityLbSetting: failover } })),
  http(everywhere({ outlierDetection, loadBalancer: { localityLbSetting: { failoverPriority: ["tier"] } } })),
  http(everywhere({ outlierDetection, loadBalancer: { zoneAwareLbSetting: { ...failover, minClusterSize: 3 } } })),
  http(everywhere({ outlierDetection, loadBalancer: { zoneAwareLbSetting: { failoverPriority: ["tier"] } } })),
  http(
    object("DestinationRule", "reviews", {
      host: "reviews.shop.svc.cluster.local",
      trafficPolicy: perPort,
      subsets: [{ name: "v1", labels: { version: "v1" }, trafficPolicy: perPort }],
    }),
  ),
  {
    subject: everywhere({ connectionPool }),
    around: [
      service("reviews", {
        ports: [
          { number: 8080, name: "grpc", protocol: "GRPC" },
          { number: 8090, name: "http2", protocol: "HTTP2" },
        ],
      }),
    ],
    clients: [caller, proxyless],
  },
  http(
    everywhere({
      tls: {
        mode: "MUTUAL",
        ...files,
        caCrl: "/certs/a.crl",
        sni: "a.example.com",
        subjectAltNames: ["a.example.com"],
      },
    }),
  ),
  http(everywhere({ tls: { mode: "SIMPLE", sni: "a.example.com", insecureSkipVerify: true } })),
  http(everywhere({ tls: { mode: "SIMPLE", sni: "a.example.com", credentialName: "secret" } })),
  http(
    everywhere(
      { connectionPool: { tcp: { idleTimeout: "9s" } } },
      { retryBudget: { percent: 25, minRetryConcurrency: 2, budgetInterval: "5s" }, proxyProtocol: { version: "V2" } },
    ),
  ),
  http(everywhere({ outlierDetection: { consecutiveErrors: 7 } })),
  // Without a subset the tunnel of the host counts, else that of the subset.
  ...[{}, { subset: "v1" }].map(
    (subset): Example => ({
      subject: everywhere(
        { connectionPool: { tcp: { idleTimeout: "9s" } } },
        { tunnel: { protocol: "CONNECT", targetHost: "a.example.com", targetPort: 443 } },
        "db",
      ),
      around: [
        database(),
        object("VirtualService", "db", {
          hosts: ["db.shop.svc.cluster.local"],
          tcp: [{ route: [{ destination: { host: "db.shop.svc.cluster.local", ...subset } }] }],
        }),
      ],
      clients: [caller],
    }),
  ),
  http(
    object("DestinationRule", "reviews", {
      host: "reviews.shop.svc.cluster.local",
      exportTo: ["."],
      trafficPolicy: { connectionPool },
    }),
  ),
  {
    subject: object("DestinationRule", "reviews", {
      host: "reviews.shop.svc.cluster.local",
      workloadSelector: { matchLabels: { app: "reviews" } },
      trafficPolicy: { connectionPool },
    }),
    around,
    clients: [workload("reviews"), proxyless],
  },
];
