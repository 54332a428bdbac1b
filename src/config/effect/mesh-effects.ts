import { meshConfig } from "../kinds/mesh-config.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const bootstrap: NoEffect = { reason: "the MeshConfig configures neither bootstraps nor agents of proxies" };
const tracer: NoEffect = {
  reason: "bootstraps of proxies set this destination of traces",
  instead: ["MeshConfig extensionProviders[].zipkin.service", "MeshConfig defaultProviders.tracing[]"],
};
const removed: NoEffect = {
  reason: "Envoy removed this tracer: send traces to a collector of OpenTelemetry",
  instead: ["MeshConfig extensionProviders[].opentelemetry.service"],
};
const variable: NoEffect = {
  reason: "the control plane reads no headers from its environment: write the value",
  instead: ["MeshConfig extensionProviders[].zipkin.headers[].value"],
};
const authority: NoEffect = { reason: "Binnacle has no certificate authority" };
const clientTls: NoEffect = {
  reason: "Istio never used it: proxies do not change traffic to unknown destinations",
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

const tracers = ["zipkin", "lightstep", "datadog", "stackdriver", "openCensusAgent", "tlsSettings"];

/** Headers whose value is in a variable. */
const variables = [
  "zipkin.headers[].envName",
  "opentelemetry.http.headers[].envName",
  "opentelemetry.grpc.initialMetadata[].envName",
  "opentelemetry.dynatraceSampler.httpService.http.headers[].envName",
];

/** Fields of the mesh configuration without effect. */
export const meshEffects: readonly KindEffects[] = [
  {
    kind: meshConfig,
    fields: {
      ...rows("defaultConfig.", ofBootstraps, bootstrap),
      ...rows("defaultConfig.tracing.", tracers, tracer),
      ...rows("extensionProviders[].", ["lightstep", "stackdriver", "opencensus"], removed),
      ...rows("extensionProviders[].", variables, variable),
      "extensionProviders[].skywalking.accessToken": { reason: "Istio does not send it to proxies either" },
      "extensionProviders[].sds": { reason: "Istio does not use it either" },
      ...rows(
        "defaultConfig.connectionSettings.",
        ["clusterPerConnectionBufferLimitBytes", "listenerConnectionLimit", "globalDownstreamConnectionLimit"],
        { reason: "proxies keep the limits of their bootstraps" },
      ),
      "outboundTrafficPolicy.tls": clientTls,
      "configSources[]": { reason: "configuration comes from --source" },
      enablePrometheusMerge: bootstrap,
      "certificates[]": authority,
      ca: authority,
      "caCertificates[].spiffeBundleUrl": { reason: "only certificates in pem are read" },
      "caCertificates[].certSigners[]": { reason: "every workload trusts every root" },
      verifyCertificateAtClient: {
        reason: "Istio ignores it: certificates of servers are checked where TLS asks for it",
      },
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
    },
  },
];
