import { meshConfig } from "../kinds/mesh-config.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const bootstrap: NoEffect = { reason: "the MeshConfig configures neither bootstraps nor agents of proxies" };
const tracer: NoEffect = {
  reason: "proxies get only the sampling; their bootstraps set the destination of traces",
  instead: ["MeshConfig defaultConfig.tracing.sampling"],
};
const provider: NoEffect = {
  reason: "only extension providers for access logs in files are supported",
  instead: ["MeshConfig extensionProviders[].envoyFileAccessLog.path"],
};
const authority: NoEffect = { reason: "Binnacle has no certificate authority" };
const everything: NoEffect = { reason: "Binnacle reads all namespaces and services" };
const clientTls: NoEffect = {
  reason: "proxies do not change traffic to unknown destinations",
  security: true,
};

function rows(prefix: string, fields: readonly string[], row: NoEffect): Readonly<Record<string, NoEffect>> {
  return Object.fromEntries(fields.map((field) => [`${prefix}${field}`, row]));
}

/** Proxy settings that need a bootstrap or an agent. */
const ofBootstraps = [
  "configPath",
  "binaryPath",
  "serviceCluster",
  "tracingServiceName",
  "drainDuration",
  "discoveryAddress",
  "discoveryRefreshDelay",
  "zipkinAddress",
  "statsdUdpAddress",
  "proxyAdminPort",
  "availabilityZone",
  "controlPlaneAuthPolicy",
  "customConfigFile",
  "statNameLength",
  "concurrency",
  "proxyBootstrapTemplatePath",
  "interceptionMode",
  "envoyMetricsServiceAddress",
  "sds",
  "envoyAccessLogService",
  "envoyMetricsService",
  "proxyMetadata{}",
  "statusPort",
  "extraStatTags[]",
  "terminationDrainDuration",
  "meshId",
  "readinessProbe",
  "proxyStatsMatcher",
  "holdApplicationUntilProxyStarts",
  "caCertificatesPem[]",
  "image",
  "runtimeValues{}",
  "privateKeyProvider",
  "fileFlushInterval",
  "fileFlushMinSizeKb",
  "statsCompression",
];

const tracers = ["zipkin", "lightstep", "datadog", "stackdriver", "openCensusAgent", "tlsSettings", "enableIstioTags"];

const providers = [
  "zipkin",
  "lightstep",
  "datadog",
  "stackdriver",
  "opencensus",
  "skywalking",
  "prometheus",
  "envoyHttpAls",
  "envoyTcpAls",
  "envoyOtelAls",
  "opentelemetry",
  "sds",
];

/** Fields of the mesh configuration without effect. */
export const meshEffects: readonly KindEffects[] = [
  {
    kind: meshConfig,
    fields: {
      ...rows("defaultConfig.", ofBootstraps, bootstrap),
      ...rows("defaultConfig.tracing.", tracers, tracer),
      ...rows("extensionProviders[].", providers, provider),
      ...rows("defaultProviders.", ["tracing[]", "metrics[]"], provider),
      ...rows(
        "defaultConfig.connectionSettings.",
        ["clusterPerConnectionBufferLimitBytes", "listenerConnectionLimit", "globalDownstreamConnectionLimit"],
        { reason: "proxies keep the limits of their bootstraps" },
      ),
      "defaultTrafficPolicy.connectionPool.tcp.idleTimeout": {
        reason: "only a DestinationRule sets it",
        instead: ["DestinationRule trafficPolicy.connectionPool.tcp.idleTimeout"],
      },
      "outboundTrafficPolicy.tls": clientTls,
      "configSources[]": { reason: "configuration comes from --source" },
      enableEnvoyAccessLogService: { reason: "access logs go to files", instead: ["MeshConfig accessLogFile"] },
      enablePrometheusMerge: bootstrap,
      "certificates[]": authority,
      ca: authority,
      "caCertificates[]": authority,
      "serviceSettings[]": { reason: "there is one cluster, so every service is local to it" },
      verifyCertificateAtClient: {
        reason: "Istio ignores it: certificates of servers are checked where TLS asks for it",
      },
      "discoverySelectors[]": everything,
      "serviceScopeConfigs[]": { reason: "it is for ambient mode, which is not served" },
      hboneIdleTimeout: { reason: "it is for ambient mode, which is not served" },
      serviceEntryVisibility: {
        reason: "the exportTo of a ServiceEntry decides who sees it",
        instead: ["ServiceEntry exportTo[]", "MeshConfig defaultServiceExportTo[]"],
      },
      "defaultTrafficPolicy.outlierDetection.consecutiveErrors": {
        reason: "Istio removed it: write consecutive5xxErrors or consecutiveGatewayErrors",
        instead: ["consecutive5xxErrors", "consecutiveGatewayErrors"].map(
          (field) => `MeshConfig defaultTrafficPolicy.outlierDetection.${field}`,
        ),
      },
      "defaultTrafficPolicy.outlierDetection.outlierDetectionHttpErrorCodes[]": {
        reason: "Envoy's v3 API has no field for it",
      },
    },
  },
];
