/** A destination rule for a host, with a policy written as JSON. */
function rule(name: string, policy: object, subsets: readonly object[] = []): object {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "DestinationRule",
    metadata: { name, namespace: "shop" },
    spec: { host: `${name}.shop.svc.cluster.local`, trafficPolicy: policy, subsets },
  };
}

interface Declared {
  readonly resolution?: "STATIC" | "DNS" | "DNS_ROUND_ROBIN" | "NONE" | "DYNAMIC_DNS";
  readonly protocol?: string;
  readonly hosts?: readonly string[];
  readonly endpoints?: readonly object[];
  readonly annotations?: Readonly<Record<string, string>>;
}

const localities = ["eu/a/1", "eu/b", "us/c"];

function service(name: string, port: number, declared: Declared = {}): object {
  const {
    resolution = "STATIC",
    protocol = "HTTP",
    hosts = [`${name}.shop.svc.cluster.local`],
    annotations,
  } = declared;
  const everywhere = localities.map((locality, index) => ({
    address: `127.0.0.${index + 2}`,
    locality,
    labels: { app: name },
  }));
  const endpoints = declared.endpoints ?? (resolution === "STATIC" ? everywhere : []);
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name, namespace: "shop", ...(annotations && { annotations }) },
    spec: {
      hosts,
      resolution,
      location: "MESH_INTERNAL",
      ports: [{ number: port, name: "main", protocol }],
      endpoints,
    },
  };
}

const names = [
  { address: "localhost", locality: "eu/a" },
  { address: "127.0.0.1", locality: "us/c" },
];
const outlierDetection = { consecutive5xxErrors: 5, consecutiveGatewayErrors: 0, interval: "5s", minHealthPercent: 10 };

/** Each with a service of its own, by the name of that service. */
const policies: Readonly<Record<string, object>> = {
  ring: { loadBalancer: { consistentHash: { httpHeaderName: "x-user", ringHash: { minimumRingSize: 64 } } } },
  "old-ring": { loadBalancer: { consistentHash: { useSourceIp: true } } },
  maglev: { loadBalancer: { consistentHash: { useSourceIp: true, maglev: { tableSize: 65_537 } } } },
  warm: { loadBalancer: { simple: "ROUND_ROBIN", warmup: { duration: "30s", minimumPercent: 20, aggression: 2 } } },
  "old-warm": { loadBalancer: { simple: "LEAST_REQUEST", warmupDurationSecs: "30s" } },
  random: { loadBalancer: { simple: "RANDOM" } },
  through: { loadBalancer: { simple: "PASSTHROUGH" } },
  near: { outlierDetection },
  chosen: { outlierDetection, loadBalancer: { localityLbSetting: { failover: [{ from: "eu", to: "us" }] } } },
  labelled: {
    outlierDetection,
    loadBalancer: { localityLbSetting: { failoverPriority: ["topology.kubernetes.io/zone", "app"] } },
  },
  shared: {
    loadBalancer: { localityLbSetting: { distribute: [{ from: "eu/*", to: { "eu/*": 80, "us/*": 20 } }] } },
  },
  zones: { loadBalancer: { zoneAwareLbSetting: { enabled: false, minClusterSize: 2 } } },
  pooled: {
    connectionPool: {
      tcp: {
        maxConnections: 10,
        connectTimeout: "2s",
        idleTimeout: "30s",
        maxConnectionDuration: "60s",
        tcpKeepalive: { time: "60s", probes: 3 },
      },
      http: {
        http1MaxPendingRequests: 5,
        http2MaxRequests: 6,
        maxRetries: 7,
        maxRequestsPerConnection: 8,
        h2UpgradePolicy: "UPGRADE",
        maxConcurrentStreams: 9,
        http2KeepAlive: { interval: "5s", timeout: "2s" },
      },
    },
    retryBudget: { percent: 25, minRetryConcurrency: 2, budgetInterval: "10s" },
  },
  client: { connectionPool: { http: { useClientProtocol: true } } },
  introduced: { proxyProtocol: { version: "V2" } },
  "tls-introduced": {
    proxyProtocol: { version: "V1" },
    tls: { mode: "SIMPLE", insecureSkipVerify: true, sni: "x.example.com" },
  },
  "tls-auto": { tls: { mode: "SIMPLE", insecureSkipVerify: true } },
  plain: { tls: { mode: "DISABLE" } },
};

/** Sidecars listen on what services are called at, so these must be free. */
interface Ports {
  readonly http: number;
  readonly tcp: number;
  readonly auto: number;
}

/** A mesh in which every feature of clusters and endpoints is used, as YAML (JSON is some). */
export function everyFeature(ports: Ports): string {
  const ruled = Object.entries(policies).flatMap(([name, policy]) => [
    service(name, ports.http),
    rule(name, policy, [{ name: "own", labels: { app: name } }]),
  ]);
  const others = [
    service("dns", ports.http, { resolution: "DNS", endpoints: names }),
    rule("dns", { outlierDetection }),
    service("racing", ports.http, {
      resolution: "DNS",
      endpoints: names.slice(0, 1),
      annotations: { "istio.io/connect-strategy": "RACE_FIRST_TCP_CONNECT" },
    }),
    service("rounds", ports.http, { resolution: "DNS_ROUND_ROBIN", endpoints: names.slice(0, 1) }),
    service("none", ports.tcp, { resolution: "NONE", protocol: "TCP" }),
    service("wild", ports.http, { resolution: "DYNAMIC_DNS", hosts: ["*.wild.example.com"] }),
    service("zone", ports.http, { annotations: { "networking.istio.io/traffic-distribution": "PreferClose" } }),
    service("node", ports.http, { annotations: { "networking.istio.io/traffic-distribution": "PreferSameNode" } }),
    service("auto", ports.auto, { protocol: "" }),
    service("grpc", ports.http, { protocol: "GRPC" }),
  ];
  return [...ruled, ...others].map((object) => JSON.stringify(object)).join("\n---\n");
}

export const featureMesh = `
outboundClusterStatName: "%SERVICE_FQDN%_%SUBSET_NAME%_%SERVICE_PORT%"
tcpKeepalive: {time: 120s}
tlsDefaults: {cipherSuites: [ECDHE-RSA-AES256-GCM-SHA384], ecdhCurves: [P-256]}
defaultConfig: {proxyHeaders: {preserveHttp1HeaderCase: true}}
`;
