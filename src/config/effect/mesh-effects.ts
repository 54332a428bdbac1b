import { meshConfig } from "../kinds/mesh-config.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const bootstrap: NoEffect = { reason: "neither bootstraps nor agents of proxies are made from the MeshConfig" };
const tracer: NoEffect = {
  reason: "proxies are told how much to trace; where traces go is in their bootstraps",
  instead: ["MeshConfig defaultConfig.tracing.sampling"],
};
const provider: NoEffect = {
  reason: "of extension providers only access logs in files are used",
  instead: ["MeshConfig extensionProviders[].envoyFileAccessLog.path"],
};
const authority: NoEffect = { reason: "there is no certificate authority here" };
const everything: NoEffect = { reason: "all namespaces and services are looked at" };
const clientTls: NoEffect = {
  reason: "traffic to unknown destinations leaves as the workload sends it",
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
  "envoyExtAuthzHttp",
  "envoyExtAuthzGrpc",
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
      "serviceSettings[]": { reason: "there is one cluster, so that every service is local to it" },
      verifyCertificateAtClient: {
        reason: "Istio ignores it: certificates of servers are checked where TLS asks for it",
      },
      "discoverySelectors[]": everything,
      "serviceScopeConfigs[]": { reason: "it is for ambient mode, which is not served" },
      hboneIdleTimeout: { reason: "it is for ambient mode, which is not served" },
      serviceEntryVisibility: {
        reason: "ServiceEntries are seen as their exportTo says",
        instead: ["ServiceEntry exportTo[]", "MeshConfig defaultServiceExportTo[]"],
      },
      "defaultTrafficPolicy.outlierDetection.consecutiveErrors": {
        reason: "Istio no longer has it: write consecutive5xxErrors or consecutiveGatewayErrors",
        instead: ["consecutive5xxErrors", "consecutiveGatewayErrors"].map(
          (field) => `MeshConfig defaultTrafficPolicy.outlierDetection.${field}`,
        ),
      },
      "defaultTrafficPolicy.outlierDetection.outlierDetectionHttpErrorCodes[]": {
        reason: "the API of Envoy that proxies are spoken to in has no field for it",
      },
    },
  },
];
