import { meshConfig } from "../kinds/mesh-config.ts";
import { proxyConfig } from "../kinds/proxy-config.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const removed: NoEffect = {
  reason: "Envoy removed this tracer: send traces to a collector of OpenTelemetry",
  instead: ["MeshConfig extensionProviders[].opentelemetry.service"],
};
const variable: NoEffect = {
  reason: "the control plane reads no headers from its environment: write the value",
  instead: ["MeshConfig extensionProviders[].zipkin.headers[].value"],
};
const clientTls: NoEffect = {
  reason: "Istio never used it: proxies do not change traffic to unknown destinations",
  security: true,
};

function rows(prefix: string, fields: readonly string[], row: NoEffect): Readonly<Record<string, NoEffect>> {
  return Object.fromEntries(fields.map((field) => [`${prefix}${field}`, row]));
}

/** Settings of containers and of agents. */
const ofPods = [
  "configPath",
  "binaryPath",
  "customConfigFile",
  "proxyBootstrapTemplatePath",
  "statusPort",
  "terminationDrainDuration",
  "readinessProbe",
  "holdApplicationUntilProxyStarts",
  "image.imageType",
  "privateKeyProvider",
  "statsCompression",
];

const outdated = ["discoveryRefreshDelay", "availabilityZone", "statNameLength", "sds"];

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
  ...["Prefixes", "Suffixes", "Regexps"].map((field) => `proxyStatsMatcher.inclusion${field}[]`),
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

/** Settings of bootstraps that Istio's agent does not know. */
const unknownToAgents: ReadonlySet<string> = new Set([
  "meshId",
  "connectionSettings.globalDownstreamConnectionLimit",
  ...services.map((service) => `${service}.tlsSettings.caCrl`),
]);

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
    podFields: [
      "enablePrometheusMerge",
      ...[...ofPods, ...ofBootstraps]
        .filter((field) => !unknownToAgents.has(field))
        .map((field) => `defaultConfig.${field}`),
    ],
    fields: {
      ...rows("defaultConfig.", outdated, { reason: "it is for Istio before 1.6: neither Envoy nor the agent has it" }),
      "defaultConfig.controlPlaneAuthPolicy": {
        reason: "NONE is the value of an unset field, so agents always use mutual TLS, as in Istio",
      },
      "defaultConfig.caCertificatesPem[]": {
        reason: "agents get their roots from the control plane",
        instead: ["MeshConfig caCertificates[].pem"],
      },
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
      ...rows("extensionProviders[].", ["lightstep", "stackdriver", "opencensus"], removed),
      ...rows("extensionProviders[].", variables, variable),
      "extensionProviders[].skywalking.accessToken": { reason: "Istio does not send it to proxies either" },
      "extensionProviders[].sds": { reason: "credentials come from Secrets and files, not from another SDS server" },
      ...rows(
        "defaultConfig.connectionSettings.",
        ["clusterPerConnectionBufferLimitBytes", "listenerConnectionLimit"],
        { reason: "proxies keep the limits of their bootstraps" },
      ),
      "outboundTrafficPolicy.tls": clientTls,
      "configSources[]": { reason: "configuration comes from --source" },
      "certificates[]": { reason: "Istio no longer uses it: write the Secret yourself" },
      ca: { reason: "Istio does not use it either: the flag --ca selects the certificate authority" },
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
    podFields: ["selector.matchLabels{}", "concurrency", "environmentVariables{}", "image.imageType"],
  },
];
