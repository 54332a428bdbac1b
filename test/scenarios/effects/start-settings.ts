/** For each field two values of `defaultConfig` that differ in the field alone. */
export type Pairs = Readonly<Record<string, readonly [object, object]>>;

const zipkin = { address: "spans.ops:9411" };
const tls = { mode: "MUTUAL", clientCertificate: "/a", privateKey: "/b", caCertificates: "/c", sni: "d" };
/** Services with TLS settings, and other settings. */
const services: Readonly<Record<string, (more: object) => object>> = {
  tracing: (more) => ({ tracing: { zipkin, ...more } }),
  envoyMetricsService: (more) => ({ envoyMetricsService: { address: "ops:1", ...more } }),
  envoyAccessLogService: (more) => ({ envoyAccessLogService: { address: "ops:1", ...more } }),
};

const otherTls = {
  clientCertificate: "/x",
  privateKey: "/x",
  caCertificates: "/x",
  "subjectAltNames[]": ["x"],
  sni: "x",
  caCrl: "/x",
};

/** Two values for each field of the services. */
function* servicePairs(): Generator<readonly [string, readonly [object, object]]> {
  for (const [service, withMore] of Object.entries(services)) {
    for (const [field, value] of Object.entries(otherTls)) {
      const changed = { ...tls, [field.replace("[]", "")]: value };
      const pair = [withMore({ tlsSettings: tls }), withMore({ tlsSettings: changed })] as const;
      yield [`${service}.tlsSettings.${field}`, pair];
    }
    const modes = [
      withMore({ tlsSettings: { mode: "DISABLE" } }),
      withMore({ tlsSettings: { mode: "SIMPLE" } }),
    ] as const;
    yield [`${service}.tlsSettings.mode`, modes];
    if (service === "tracing") continue;
    for (const [field, value] of Object.entries({ probes: 3, time: "4s", interval: "5s" }))
      yield [`${service}.tcpKeepalive.${field}`, [withMore({}), withMore({ tcpKeepalive: { [field]: value } })]];
  }
}

/** For each field of `binnacle bootstrap`. */
export const bootstrapPairs: Pairs = {
  serviceCluster: [{}, { serviceCluster: "web" }],
  tracingServiceName: [{}, { tracingServiceName: "CANONICAL_NAME_ONLY" }],
  drainDuration: [{}, { drainDuration: "10s" }],
  discoveryAddress: [{}, { discoveryAddress: "istiod.ops.svc:15010" }],
  zipkinAddress: [{}, { zipkinAddress: "spans.ops:9411" }],
  statsdUdpAddress: [{}, { statsdUdpAddress: "10.0.0.1:8125" }],
  proxyAdminPort: [{}, { proxyAdminPort: 15_099 }],
  concurrency: [{}, { concurrency: 3 }],
  interceptionMode: [{}, { interceptionMode: "TPROXY" }],
  "tracing.zipkin.address": [{}, { tracing: { zipkin } }],
  "tracing.datadog.address": [{}, { tracing: { datadog: { address: "10.0.0.1:8126" } } }],
  envoyMetricsServiceAddress: [{}, { envoyMetricsServiceAddress: "ops:1" }],
  "envoyAccessLogService.address": [{}, { envoyAccessLogService: { address: "ops:1" } }],
  "envoyMetricsService.address": [{}, { envoyMetricsService: { address: "ops:1" } }],
  "proxyMetadata{}": [{}, { proxyMetadata: { ISTIO_META_X: "1" } }],
  "extraStatTags[]": [{}, { extraStatTags: ["x"] }],
  "proxyStatsMatcher.inclusionPrefixes[]": [{}, { proxyStatsMatcher: { inclusionPrefixes: ["x"] } }],
  "proxyStatsMatcher.inclusionSuffixes[]": [{}, { proxyStatsMatcher: { inclusionSuffixes: ["x"] } }],
  "proxyStatsMatcher.inclusionRegexps[]": [{}, { proxyStatsMatcher: { inclusionRegexps: ["x"] } }],
  meshId: [{}, { meshId: "x" }],
  "runtimeValues{}": [{}, { runtimeValues: { x: "1" } }],
  fileFlushInterval: [{}, { fileFlushInterval: "2s" }],
  fileFlushMinSizeKb: [{}, { fileFlushMinSizeKb: 3 }],
  "connectionSettings.globalDownstreamConnectionLimit": [
    {},
    { connectionSettings: { globalDownstreamConnectionLimit: 5 } },
  ],
  ...Object.fromEntries(servicePairs()),
};

/** For each field of injected pods alone. The files are those of `podFiles`. */
export const podPairs: Pairs = {
  configPath: [{}, { configPath: "./other" }],
  binaryPath: [{}, { binaryPath: "./bin/envoy" }],
  customConfigFile: [{}, { customConfigFile: "./own.json" }],
  proxyBootstrapTemplatePath: [{}, { proxyBootstrapTemplatePath: "./own.json" }],
  statusPort: [{}, { statusPort: 15_029 }],
  terminationDrainDuration: [{}, { terminationDrainDuration: "0.002s" }],
  readinessProbe: [{}, { readinessProbe: { tcpSocket: { port: 1 } } }],
  holdApplicationUntilProxyStarts: [{}, { holdApplicationUntilProxyStarts: true }],
  "image.imageType": [{}, { image: { imageType: "distroless" } }],
  privateKeyProvider: [{}, { privateKeyProvider: { cryptomb: { pollDelay: "0.01s" } } }],
  statsCompression: [{}, { statsCompression: false }],
};

/** A bootstrap that a user wrote. */
export const podFiles = { "own.json": JSON.stringify({ admin: {} }) };

/** For fields without effect, beside those of removed tracers. */
export const idlePairs: Pairs = {
  controlPlaneAuthPolicy: [{}, { controlPlaneAuthPolicy: "NONE" }],
  discoveryRefreshDelay: [{}, { discoveryRefreshDelay: "3s" }],
  availabilityZone: [{}, { availabilityZone: "x" }],
  statNameLength: [{}, { statNameLength: 100 }],
  sds: [{}, { sds: { enabled: true } }],
  "caCertificatesPem[]": [{}, { caCertificatesPem: ["x"] }],
};
