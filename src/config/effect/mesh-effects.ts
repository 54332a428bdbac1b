import { meshConfig } from "../kinds/mesh-config.ts";
import { proxyConfig } from "../kinds/proxy-config.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const agent: NoEffect = {
  reason: "it configures the agent or the container of a proxy, and Binnacle configures Envoys",
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

/** Settings of agents and containers. */
const ofAgents = [
  "configPath",
  "binaryPath",
  "customConfigFile",
  "proxyBootstrapTemplatePath",
  "sds",
  "statusPort",
  "terminationDrainDuration",
  "readinessProbe",
  "holdApplicationUntilProxyStarts",
  "caCertificatesPem[]",
  "image",
  "privateKeyProvider",
  "statsCompression",
];

const outdated = ["discoveryRefreshDelay", "availabilityZone", "controlPlaneAuthPolicy", "statNameLength"];

/** Services with TLS settings. */
const services = ["tracing", "envoyMetricsService", "envoyAccessLogService"];

const tlsFields = ["mode", "clientCertificate", "privateKey", "caCertificates", "subjectAltNames[]", "sni", "caCrl"];

/** Proxy settings that `binnacle bootstrap` writes into bootstraps, or says how to start Envoy with. */
const ofBootstraps = [
  "serviceCluster",
  "tracingServiceName",
  "drainDuration",
  "discoveryAddress",
  "zipkinAddress",
  "statsdUdpAddress",
  "proxyAdminPort",
  "concurrency",
  "interceptionMode",
  "tracing.zipkin.address",
  "tracing.datadog.address",
  "envoyMetricsServiceAddress",
  "envoyAccessLogService.address",
  "envoyMetricsService.address",
  "proxyMetadata{}",
  "extraStatTags[]",
  "meshId",
  "runtimeValues{}",
  "fileFlushInterval",
  "fileFlushMinSizeKb",
  "connectionSettings.globalDownstreamConnectionLimit",
  ...services.flatMap((service) => tlsFields.map((field) => `${service}.tlsSettings.${field}`)),
  ...["envoyMetricsService", "envoyAccessLogService"].flatMap((service) =>
    ["probes", "time", "interval"].map((field) => `${service}.tcpKeepalive.${field}`),
  ),
];

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
    bootstrapFields: ofBootstraps.map((field) => `defaultConfig.${field}`),
    fields: {
      ...rows("defaultConfig.", ofAgents, agent),
      ...rows("defaultConfig.", outdated, { reason: "it is for Istio before 1.6, and Envoy does not have it" }),
      ...rows("defaultConfig.tracing.", ["lightstep", "stackdriver", "openCensusAgent"], removed),
      ...rows(
        "defaultConfig.",
        services.map((service) => `${service}.tlsSettings.credentialName`),
        { reason: "a bootstrap has no Secrets: write the files" },
      ),
      ...rows(
        "defaultConfig.",
        services.map((service) => `${service}.tlsSettings.insecureSkipVerify`),
        { reason: "a bootstrap without caCertificates checks no certificate" },
      ),
      "defaultConfig.proxyStatsMatcher": { reason: "Envoys that Binnacle configures keep all statistics" },
      ...rows("extensionProviders[].", ["lightstep", "stackdriver", "opencensus"], removed),
      ...rows("extensionProviders[].", variables, variable),
      "extensionProviders[].skywalking.accessToken": { reason: "Istio does not send it to proxies either" },
      "extensionProviders[].sds": { reason: "Istio does not use it either" },
      ...rows(
        "defaultConfig.connectionSettings.",
        ["clusterPerConnectionBufferLimitBytes", "listenerConnectionLimit"],
        { reason: "proxies keep the limits of their bootstraps" },
      ),
      "outboundTrafficPolicy.tls": clientTls,
      "configSources[]": { reason: "configuration comes from --source" },
      enablePrometheusMerge: agent,
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
  {
    kind: proxyConfig,
    bootstrapFields: ["selector.matchLabels{}", "concurrency", "environmentVariables{}"],
    fields: { image: agent },
  },
];
