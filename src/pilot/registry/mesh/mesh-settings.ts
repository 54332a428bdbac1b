import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import {
  MeshConfig_InboundTrafficPolicy_Mode as InboundMode,
  MeshConfig_H2UpgradePolicy,
  MeshConfig_ProxyPathNormalization_NormalizationType as NormalizationType,
  MeshConfig_OutboundTrafficPolicy_Mode as OutboundMode,
  MeshConfig_TLSConfig_TLSProtocol as TlsProtocol,
} from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { completeMesh } from "../../../config/mesh/mesh-defaults.ts";
import { compareHostnames } from "../../../config/grammar/hostname.ts";
import { durationOf } from "../../model/duration.ts";
import type { MeshSettings, TlsDefaults } from "../../model/mesh-settings.ts";
import { defaultMeshSettings as defaults } from "../../model/mesh-settings.ts";
import { localityPolicyOf, zoneAwarePolicyOf } from "../destination-rule/load-balancer.ts";
import { connectionPoolOf, outlierDetectionOf, tcpKeepaliveOf } from "../destination-rule/traffic-policy.ts";
import { retryPolicyOf } from "../virtual-service/http/http-action.ts";
import { accessLogsOf } from "./access-logs.ts";
import { proxySettingsOf } from "./proxy-settings.ts";

export function meshSettingsOf(said: MeshConfig): MeshSettings {
  const mesh = completeMesh(said);
  const policy = mesh.defaultTrafficPolicy;
  const retries = mesh.defaultHttpRetryPolicy;
  return {
    rootNamespace: mesh.rootNamespace,
    connectTimeout: durationOf(mesh.connectTimeout) ?? defaults.connectTimeout,
    dnsRefreshRate: durationOf(mesh.dnsRefreshRate) ?? defaults.dnsRefreshRate,
    tcpKeepalive: mesh.tcpKeepalive === undefined ? undefined : tcpKeepaliveOf(mesh.tcpKeepalive),
    h2Upgrade: mesh.h2UpgradePolicy === MeshConfig_H2UpgradePolicy.UPGRADE,
    defaultServiceExportTo: mesh.defaultServiceExportTo,
    defaultVirtualServiceExportTo: mesh.defaultVirtualServiceExportTo,
    defaultDestinationRuleExportTo: mesh.defaultDestinationRuleExportTo,
    defaultConnectionPool: policy?.connectionPool === undefined ? undefined : connectionPoolOf(policy.connectionPool),
    defaultOutlierDetection:
      policy?.outlierDetection === undefined ? undefined : outlierDetectionOf(policy.outlierDetection),
    localities: localitiesOf(mesh),
    outboundStatName: mesh.outboundClusterStatName,
    inboundStatName: mesh.inboundClusterStatName,
    meshTls: tlsDefaultsOf(mesh.meshMTLS),
    tlsDefaults: tlsDefaultsOf(mesh.tlsDefaults),
    preserveHeaderCase: mesh.defaultConfig?.proxyHeaders?.preserveHttp1HeaderCase ?? defaults.preserveHeaderCase,
    defaultRetries: retries === undefined ? undefined : retryPolicyOf(retries),
    tracing: mesh.enableTracing,
    tracers: mesh.extensionProviders.some(({ provider }) => tracers.has(provider.case)),
    accessLogs: accessLogsOf(mesh),
    accessLogService: mesh.enableEnvoyAccessLogService,
    defaultProviders: {
      accessLogs: mesh.defaultProviders?.accessLogging ?? [],
      traces: mesh.defaultProviders?.tracing ?? [],
      metrics: mesh.defaultProviders?.metrics ?? [],
    },
    logsUnmatched: !mesh.disableEnvoyListenerLog,
    proxy: proxySettingsOf(mesh.defaultConfig),
    outboundPort: mesh.proxyListenPort,
    inboundPort: mesh.proxyInboundListenPort,
    httpProxyPort: mesh.proxyHttpPort,
    protocolDetectionTimeout: durationOf(mesh.protocolDetectionTimeout) ?? defaults.protocolDetectionTimeout,
    outboundPolicy: outboundPolicyOf(mesh),
    clusterLocal: clusterLocalOf(mesh),
    discoveryHost: mesh.defaultConfig?.discoveryAddress.replace(/:\d+$/u, "") || defaults.discoveryHost,
    inboundMode: mesh.inboundTrafficPolicy?.mode === InboundMode.LOCALHOST ? "localhost" : "passthrough",
    autoMtls: mesh.enableAutoMtls ?? defaults.autoMtls,
    trustDomain: mesh.trustDomain,
    trustDomainAliases: mesh.trustDomainAliases,
    foreignTrustDomains: mesh.caCertificates.flatMap(({ trustDomains }) => trustDomains),
    pathNormalization: pathNormalizations[mesh.pathNormalization?.normalization ?? NormalizationType.DEFAULT],
  };
}

const tracers: ReadonlySet<string | undefined> = new Set(["zipkin", "datadog", "skywalking", "opentelemetry"]);

/** Later settings of the same host replace earlier ones. */
function clusterLocalOf({ serviceSettings }: MeshConfig): MeshSettings["clusterLocal"] {
  const byHost = new Map(
    serviceSettings.flatMap(({ hosts, settings }) => hosts.map((host) => [host, settings?.clusterLocal ?? false])),
  );
  return Array.from(byHost, ([host, isLocal]) => ({ host, isLocal })).toSorted((a, b) =>
    compareHostnames(a.host, b.host),
  );
}

function localitiesOf({ zoneAwareLbSetting, localityLbSetting }: MeshConfig): MeshSettings["localities"] {
  if (zoneAwareLbSetting !== undefined) return zoneAwarePolicyOf(zoneAwareLbSetting);
  return localityLbSetting === undefined ? defaults.localities : localityPolicyOf(localityLbSetting);
}

function tlsDefaultsOf(config: MeshConfig["meshMTLS"]): TlsDefaults {
  if (config === undefined) return defaults.tlsDefaults;
  const { minProtocolVersion, cipherSuites, ecdhCurves } = config;
  return { minVersion: tlsVersions[minProtocolVersion], cipherSuites, ecdhCurves };
}

const tlsVersions: Readonly<Record<TlsProtocol, TlsDefaults["minVersion"]>> = {
  [TlsProtocol.TLS_AUTO]: undefined,
  [TlsProtocol.TLSV1_2]: "1.2",
  [TlsProtocol.TLSV1_3]: "1.3",
};

function outboundPolicyOf({ outboundTrafficPolicy }: MeshConfig): MeshSettings["outboundPolicy"] {
  if (outboundTrafficPolicy === undefined) return defaults.outboundPolicy;
  const closed = outboundTrafficPolicy.mode === OutboundMode.REGISTRY_ONLY;
  return { mode: closed ? "registry-only" : "allow-any", egressProxy: undefined };
}

const pathNormalizations: Readonly<Record<NormalizationType, MeshSettings["pathNormalization"]>> = {
  [NormalizationType.DEFAULT]: "base",
  [NormalizationType.NONE]: "none",
  [NormalizationType.BASE]: "base",
  [NormalizationType.MERGE_SLASHES]: "merge-slashes",
  [NormalizationType.DECODE_AND_MERGE_SLASHES]: "decode-and-merge-slashes",
};
