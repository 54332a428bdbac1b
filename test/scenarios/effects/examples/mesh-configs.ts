import type { Example } from "../proof.ts";
import {
  caller,
  clusterGateway,
  countingWorkload,
  database,
  foreign,
  object,
  router,
  service,
  settings,
  unredirected,
  workload,
} from "./context.ts";
import { connectionPool, outlierDetection } from "./destination-rules.ts";

const host = "reviews.shop.svc.cluster.local";

const ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name: "front", namespace: "shop", annotations: { "kubernetes.io/ingress.class": "istio" } },
  spec: {
    rules: [
      {
        host: "ingress.example.com",
        http: {
          paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "reviews", port: { number: 8080 } } } }],
        },
      },
    ],
  },
};

/** A mesh in which most settings matter to one proxy or another. */
const around = [
  service("reviews"),
  database(),
  service("named", { resolution: "DNS", endpoints: [{ address: "named.example.com" }] }),
  service("grpc", { ports: [{ number: 8081, name: "grpc", protocol: "GRPC" }], endpoints: [{ address: "10.0.0.1" }] }),
  service("bytes", { ports: [{ number: 9000, name: "auto", protocol: "" }], endpoints: [{ address: "10.0.0.1" }] }),
  object("VirtualService", "reviews", {
    hosts: [host, "shop.example.com"],
    gateways: ["mesh", "istio-system/edge"],
    http: [{ rewrite: { authority: "b.example.com" }, route: [{ destination: { host } }] }],
  }),
  object("DestinationRule", "grpc", {
    host: "grpc.shop.svc.cluster.local",
    trafficPolicy: { tls: { mode: "SIMPLE", sni: "a.example.com" } },
  }),
  object("DestinationRule", "reviews", { host, trafficPolicy: { outlierDetection } }),
  object(
    "Gateway",
    "edge",
    {
      selector: { istio: "ingressgateway" },
      servers: [
        { port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] },
        {
          port: { number: 443, name: "https", protocol: "HTTPS" },
          hosts: ["*"],
          tls: { mode: "SIMPLE", serverCertificate: "/certs/a.pem", privateKey: "/certs/a.key" },
        },
      ],
    },
    "istio-system",
  ),
  ingress,
];

function mesh(spec: object, clients = [router, caller, workload("reviews")]): Example {
  return { subject: settings("MeshConfig", spec), around, clients };
}

/** A service of Kubernetes, which the selector selects. */
function discovering(selector: object): Example {
  const subject = settings("MeshConfig", { discoverySelectors: [selector] });
  return { subject, around: [clusterGateway], clients: [caller] };
}

const tls = { minProtocolVersion: "TLSV1_2", cipherSuites: ["ECDHE-RSA-AES256-GCM-SHA384"], ecdhCurves: ["P-256"] };

/** For fields that must not stand alone, and have no effect. */
function small(spec: object): Example {
  return {
    subject: settings("MeshConfig", spec),
    around: [service("reviews"), database()],
    clients: [caller, workload("reviews")],
  };
}

const tracers = [
  { zipkin: { address: "zipkin.shop:9411" } },
  { lightstep: { address: "lightstep.shop:80", accessToken: "token" } },
  { datadog: { address: "datadog.shop:80" } },
];
const tracerTls = [
  { mode: "MUTUAL", clientCertificate: "/certs/a.pem", privateKey: "/certs/a.key", caCertificates: "/certs/ca.pem" },
  { mode: "SIMPLE", credentialName: "secret" },
];

const collector = { service: "reviews.shop.svc.cluster.local", port: 8080 };
const headers = [{ name: "x-a", value: "b" }];
const variables = [{ name: "x-a", envName: "B" }];
const http = { path: "/a", timeout: "5s", headers };
const sampler = { tenant: "t", clusterId: 5, rootSpansPerMinute: 9 };

/** One for each way to use a provider. */
const providers: readonly { readonly uses: string; readonly [type: string]: unknown }[] = [
  {
    uses: "accessLogging",
    envoyHttpAls: {
      ...collector,
      logName: "a",
      filterStateObjectsToLog: ["a"],
      additionalRequestHeadersToLog: ["x-a"],
      additionalResponseHeadersToLog: ["x-a"],
      additionalResponseTrailersToLog: ["x-a"],
    },
  },
  { uses: "accessLogging", envoyTcpAls: { ...collector, logName: "a", filterStateObjectsToLog: ["a"] } },
  {
    uses: "accessLogging",
    envoyOtelAls: { ...collector, logName: "a", logFormat: { text: "%PROTOCOL%", labels: { a: "%PROTOCOL%" } } },
  },
  {
    uses: "tracing",
    zipkin: {
      ...collector,
      maxTagLength: 9,
      enable64bitTraceId: true,
      path: "/a",
      traceContextOption: "USE_B3_WITH_W3C_PROPAGATION",
      timeout: "5s",
      headers,
    },
  },
  { uses: "tracing", zipkin: { ...collector, headers: variables } },
  { uses: "tracing", datadog: { ...collector, maxTagLength: 9 } },
  { uses: "tracing", skywalking: { ...collector, accessToken: "a" } },
  {
    uses: "tracing",
    opentelemetry: {
      ...collector,
      maxTagLength: 9,
      grpc: { timeout: "5s", initialMetadata: headers },
      resourceDetectors: { environment: {}, dynatrace: {} },
      serviceAttributeEnrichment: "ISTIO_CANONICAL",
    },
  },
  { uses: "tracing", opentelemetry: { ...collector, grpc: { initialMetadata: variables } } },
  { uses: "tracing", opentelemetry: { ...collector, http, dynatraceSampler: sampler } },
  { uses: "tracing", opentelemetry: { ...collector, http: { ...http, headers: variables } } },
  {
    uses: "tracing",
    opentelemetry: { ...collector, dynatraceSampler: { ...sampler, httpService: { ...collector, http } } },
  },
  {
    uses: "tracing",
    opentelemetry: {
      ...collector,
      dynatraceSampler: { ...sampler, httpService: { ...collector, http: { ...http, headers: variables } } },
    },
  },
  { uses: "metrics", prometheus: {} },
];

/** For default providers, at a proxy that has every extension. */
function telemetry(spec: object): Example {
  return {
    subject: settings("MeshConfig", spec),
    around: [service("reviews"), database()],
    clients: [countingWorkload("reviews")],
  };
}

export const meshConfigs: readonly Example[] = [
  // First: fields that no example sets are tried here.
  small({}),
  ...tracers.map((tracer) => small({ defaultConfig: { tracing: tracer } })),
  ...tracerTls.map((tlsSettings) => small({ defaultConfig: { tracing: { ...tracers[0], tlsSettings } } })),
  mesh({
    accessLogFile: "/dev/stdout",
    accessLogFormat: "[%START_TIME%] %REQ(:METHOD)% %RESPONSE_CODE%\n",
    accessLogEncoding: "TEXT",
    connectTimeout: "5s",
    protocolDetectionTimeout: "0.1s",
    tcpKeepalive: { time: "120s", interval: "5s", probes: 3 },
    tlsDefaults: tls,
    meshMTLS: tls,
    outboundClusterStatName: "%SERVICE_FQDN%",
    inboundClusterStatName: "%SERVICE%",
    dnsRefreshRate: "61s",
    h2UpgradePolicy: "UPGRADE",
    outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
    defaultHttpRetryPolicy: {
      attempts: 3,
      perTryTimeout: "2s",
      retryOn: "5xx",
      backoff: "0.05s",
      retryRemoteLocalities: true,
      retryIgnorePreviousHosts: false,
    },
    trustDomain: "shop.local",
    trustDomainAliases: ["old.local"],
    pathNormalization: { normalization: "MERGE_SLASHES" },
    inboundTrafficPolicy: { mode: "LOCALHOST" },
  }),
  mesh({
    defaultConfig: {
      tracing: {
        sampling: 10,
        enableIstioTags: true,
        maxPathTagLength: 300,
        customTags: {
          a: { literal: { value: "b" } },
          b: { header: { name: "x-h", defaultValue: "d" } },
          c: { environment: { name: "HOME", defaultValue: "d" } },
        },
      },
      gatewayTopology: { numTrustedProxies: 1, forwardClientCertDetails: "FORWARD_ONLY" },
      proxyHeaders: {
        forwardedClientCert: "APPEND_FORWARD",
        server: { value: "me" },
        requestId: { disabled: true },
        attemptCount: { disabled: true },
        envoyDebugHeaders: { disabled: true },
        metadataExchangeHeaders: { mode: "IN_MESH" },
        setCurrentClientCertDetails: { subject: true, cert: true, chain: true, dns: false, uri: false },
        preserveHttp1HeaderCase: true,
        xForwardedHost: { enabled: true },
        xForwardedPort: { enabled: true },
      },
      connectionSettings: {
        profile: "EDGE",
        listenerPerConnectionBufferLimitBytes: 10_000,
        httpIdleTimeout: "5s",
        httpMaxConnectionDuration: "6s",
        httpDrainTimeout: "7s",
        httpRequestTimeout: "8s",
        httpRequestHeadersTimeout: "9s",
        httpStreamIdleTimeout: "10s",
        httpMaxStreamDuration: "11s",
        httpMaxConcurrentStreams: 12,
        http2InitialStreamWindowSize: 70_000,
        http2InitialConnectionWindowSize: 70_001,
        httpHeadersWithUnderscoresAction: "HEADERS_WITH_UNDERSCORES_DROP_HEADER",
        httpMergeSlashes: true,
        httpPathWithEscapedSlashesAction: "REJECT_REQUEST",
      },
    },
  }),
  mesh({ defaultConfig: { connectionSettings: { profile: "EDGE" } } }),
  mesh({ defaultConfig: { gatewayTopology: { proxyProtocol: {} }, proxyHeaders: { server: { disabled: true } } } }),
  mesh({ enableEnvoyAccessLogService: true }),
  mesh({ enableAutoMtls: false, enableTracing: false, disableEnvoyListenerLog: true, accessLogFile: "/dev/stdout" }),
  mesh({ defaultTrafficPolicy: { connectionPool } }),
  mesh({ defaultTrafficPolicy: { connectionPool: { tcp: { idleTimeout: "30s" } } } }),
  mesh({ defaultTrafficPolicy: { outlierDetection } }),
  mesh({ localityLbSetting: { distribute: [{ from: "eu/*", to: { "eu/*": 80, "us/*": 20 } }] } }),
  mesh({ serviceSettings: [{ settings: { clusterLocal: true }, hosts: ["*.shop.svc.cluster.local"] }] }, [foreign]),
  discovering({ matchLabels: { "kubernetes.io/metadata.name": "istio-system" } }),
  discovering({
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: ["istio-system"] }],
  }),
  mesh({ localityLbSetting: { failover: [{ from: "eu", to: "us" }] } }),
  mesh({ localityLbSetting: { failoverPriority: ["tier"] } }),
  mesh({ zoneAwareLbSetting: { failover: [{ from: "eu", to: "us" }], minClusterSize: 3 } }),
  mesh({ zoneAwareLbSetting: { failoverPriority: ["tier"] } }),
  mesh({ defaultServiceExportTo: ["."] }),
  mesh({ defaultVirtualServiceExportTo: ["."] }),
  mesh({ defaultDestinationRuleExportTo: ["."] }),
  mesh({ proxyListenPort: 15_101, proxyInboundListenPort: 15_106, proxyHttpPort: 15_180 }),
  mesh({ proxyHttpPort: 15_180, proxyListenPort: 15_101 }, [unredirected]),
  mesh({
    defaultProviders: { accessLogging: ["text"] },
    extensionProviders: [
      {
        name: "text",
        envoyFileAccessLog: { path: "/a.log", logFormat: { text: "%PROTOCOL%" }, omitEmptyValues: true },
      },
    ],
  }),
  mesh({
    defaultProviders: { accessLogging: ["labels"] },
    extensionProviders: [
      { name: "labels", envoyFileAccessLog: { path: "/a.log", logFormat: { labels: { a: "%PROTOCOL%" } } } },
    ],
  }),
  ...providers.map(({ uses, ...provider }) =>
    telemetry({ defaultProviders: { [uses]: ["a"] }, extensionProviders: [{ name: "a", ...provider }] }),
  ),
  mesh({ ingressControllerMode: "STRICT", ingressClass: "istio", ingressSelector: "ingressgateway" }),
  mesh({ ingressControllerMode: "STRICT", ingressService: "other" }),
  {
    subject: settings("MeshConfig", { rootNamespace: "roots" }),
    around: [...around, object("PeerAuthentication", "default", { mtls: { mode: "STRICT" } }, "roots"), clusterGateway],
    clients: [workload("reviews")],
  },
];
