import { type Duration, zeroDuration } from "./duration.ts";
import type { AccessLog } from "./proxy/access-log.ts";
import { defaultProxySettings, type ProxySettings } from "./proxy/proxy-settings.ts";
import type { OutboundPolicy } from "./scope/sidecar.ts";
import type { ConnectionPool, LocalityPolicy, OutlierDetection, TcpKeepalive } from "./traffic/destination-rule.ts";
import type { RetryPolicy } from "./traffic/virtual-service.ts";

/** Settings of the whole mesh, with defaults filled in. A change of them regenerates everything. */
export interface MeshSettings {
  readonly rootNamespace: string;
  readonly connectTimeout: Duration;
  readonly dnsRefreshRate: Duration;
  readonly tcpKeepalive: TcpKeepalive | undefined;
  readonly h2Upgrade: boolean;
  readonly defaultServiceExportTo: readonly string[];
  readonly defaultVirtualServiceExportTo: readonly string[];
  readonly defaultDestinationRuleExportTo: readonly string[];
  readonly defaultConnectionPool: ConnectionPool | undefined;
  readonly defaultOutlierDetection: OutlierDetection | undefined;
  /** Locality preference that applies when neither a destination rule nor the service sets one. */
  readonly localities: LocalityPolicy;
  /**
   * Template for statistics names of outbound clusters, with placeholders such as `%SERVICE%`; "" for the cluster name.
   */
  readonly outboundStatName: string;
  readonly inboundStatName: string;
  /** TLS defaults of mesh mTLS, and of TLS that destination rules configure. */
  readonly meshTls: TlsDefaults;
  readonly tlsDefaults: TlsDefaults;
  /** Preserves the case of HTTP/1 header names. */
  readonly preserveHeaderCase: boolean;
  readonly defaultRetries: RetryPolicy | undefined;
  /** Traces requests without a provider: the bootstraps of proxies say where their traces go. */
  readonly tracing: boolean;
  /** Some extension provider receives traces. */
  readonly tracers: boolean;
  /** The log files where neither Telemetry nor default providers apply. */
  readonly accessLogs: readonly AccessLog[];
  /** In the same place, also sends access logs to the service in the bootstraps of proxies. */
  readonly accessLogService: boolean;
  /** Names of the extension providers that apply where no Telemetry names others. */
  readonly defaultProviders: DefaultProviders;
  /** Also logs connections that match no filter chain. */
  readonly logsUnmatched: boolean;
  /** Settings of proxies that send no settings of their own. */
  readonly proxy: ProxySettings;
  /** The port that receives redirected traffic of sidecars; 0 disables their outbound listeners. */
  readonly outboundPort: number;
  readonly inboundPort: number;
  /** Port of an explicit HTTP proxy on loopback; 0 for none. */
  readonly httpProxyPort: number;
  /** How long protocol detection waits for the first bytes of a connection; 0 waits without limit. */
  readonly protocolDetectionTimeout: Duration;
  readonly outboundPolicy: OutboundPolicy;
  /** Which services keep their traffic within a cluster, by hostname or wildcard; the most specific first. */
  readonly clusterLocal: readonly ClusterLocal[];
  /** The host of the control plane for proxies, with or without the domain. */
  readonly discoveryHost: string;
  /** Destination of inbound traffic: the original destination address, or localhost. */
  readonly inboundMode: "passthrough" | "localhost";
  /** Uses mTLS with every endpoint that supports it. */
  readonly autoMtls: boolean;
  readonly trustDomain: string;
  readonly trustDomainAliases: readonly string[];
  /** Other trust domains whose workloads may connect, because their roots are trusted. */
  readonly foreignTrustDomains: readonly string[];
  readonly pathNormalization: "none" | "base" | "merge-slashes" | "decode-and-merge-slashes";
}

/** TLS parameters that apply unless an object sets others; empty lists use Envoy's defaults. */
export interface TlsDefaults {
  readonly minVersion: "1.2" | "1.3" | undefined;
  readonly cipherSuites: readonly string[];
  readonly ecdhCurves: readonly string[];
}

/** A host of `serviceSettings`. */
interface ClusterLocal {
  readonly host: string;
  readonly isLocal: boolean;
}

const noTlsDefaults: TlsDefaults = { minVersion: undefined, cipherSuites: [], ecdhCurves: [] };

/** By the use of the providers. */
interface DefaultProviders {
  readonly accessLogs: readonly string[];
  readonly traces: readonly string[];
  readonly metrics: readonly string[];
}

export const defaultMeshSettings: MeshSettings = {
  rootNamespace: "istio-system",
  connectTimeout: { seconds: 10n, nanos: 0 },
  dnsRefreshRate: { seconds: 60n, nanos: 0 },
  tcpKeepalive: undefined,
  h2Upgrade: false,
  defaultServiceExportTo: ["*"],
  defaultVirtualServiceExportTo: ["*"],
  defaultDestinationRuleExportTo: ["*"],
  defaultConnectionPool: undefined,
  defaultOutlierDetection: undefined,
  localities: { type: "locality", distribute: [], failover: [], failoverPriority: [] },
  outboundStatName: "",
  inboundStatName: "",
  meshTls: noTlsDefaults,
  tlsDefaults: noTlsDefaults,
  preserveHeaderCase: false,
  defaultRetries: undefined,
  tracing: true,
  tracers: false,
  accessLogs: [],
  accessLogService: false,
  defaultProviders: { accessLogs: [], traces: [], metrics: [] },
  logsUnmatched: true,
  proxy: defaultProxySettings,
  outboundPort: 15_001,
  inboundPort: 15_006,
  httpProxyPort: 0,
  protocolDetectionTimeout: zeroDuration,
  outboundPolicy: { mode: "allow-any", egressProxy: undefined },
  clusterLocal: [],
  discoveryHost: "istiod.istio-system.svc",
  inboundMode: "passthrough",
  autoMtls: true,
  trustDomain: "cluster.local",
  trustDomainAliases: [],
  foreignTrustDomains: [],
  pathNormalization: "base",
};

/** The key of the mesh's settings in their collection. */
export const MESH_KEY = "mesh";

/** Reads the mesh settings from their collection; returns the defaults when the collection has none. */
export function settingsIn(mesh: { get(key: string): MeshSettings | undefined }): MeshSettings {
  return mesh.get(MESH_KEY) ?? defaultMeshSettings;
}
