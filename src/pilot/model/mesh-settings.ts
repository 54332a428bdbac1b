import { type Duration, zeroDuration } from "./duration.ts";
import type { AccessLog } from "./proxy/access-log.ts";
import { defaultProxySettings, type ProxySettings } from "./proxy/proxy-settings.ts";
import type { OutboundPolicy } from "./scope/sidecar.ts";
import type { ConnectionPool, LocalityPolicy, OutlierDetection, TcpKeepalive } from "./traffic/destination-rule.ts";
import type { RetryPolicy } from "./traffic/virtual-service.ts";

/** What holds for the whole mesh, defaults filled in. A change of it regenerates everything. */
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
  /** What it counts for that an endpoint is near, where neither a rule nor the service says it. */
  readonly localities: LocalityPolicy;
  /** Under which names the statistics of clusters go, with placeholders such as `%SERVICE%`; "" for the cluster's own. */
  readonly outboundStatName: string;
  readonly inboundStatName: string;
  /** Of mutual TLS within the mesh, and of TLS that rules ask for. */
  readonly meshTls: TlsDefaults;
  readonly tlsDefaults: TlsDefaults;
  /** Headers of HTTP/1 keep the letters they came with. */
  readonly preserveHeaderCase: boolean;
  readonly defaultRetries: RetryPolicy | undefined;
  readonly tracing: boolean;
  readonly accessLogs: readonly AccessLog[];
  /** Also writes down the connections that no filter chain takes. */
  readonly logsUnmatched: boolean;
  /** Of proxies that bring no settings of their own. */
  readonly proxy: ProxySettings;
  /** Where sidecars take redirected traffic; 0 switches their listeners off. */
  readonly outboundPort: number;
  readonly inboundPort: number;
  /** Of an explicit HTTP proxy on loopback; 0 for none. */
  readonly httpProxyPort: number;
  /** How long to wait for the first bytes of a connection that must be sniffed; 0 for ever. */
  readonly protocolDetectionTimeout: Duration;
  readonly outboundPolicy: OutboundPolicy;
  /** Where a workload's own traffic goes: to the address it was sent to, or to localhost. */
  readonly inboundMode: "passthrough" | "localhost";
  /** Speak mutual TLS with every endpoint that can. */
  readonly autoMtls: boolean;
  readonly trustDomain: string;
  readonly trustDomainAliases: readonly string[];
  readonly pathNormalization: "none" | "base" | "merge-slashes" | "decode-and-merge-slashes";
}

/** What TLS is spoken with where nobody says otherwise; empty lists leave it to Envoy. */
export interface TlsDefaults {
  readonly minVersion: "1.2" | "1.3" | undefined;
  readonly cipherSuites: readonly string[];
  readonly ecdhCurves: readonly string[];
}

const noTlsDefaults: TlsDefaults = { minVersion: undefined, cipherSuites: [], ecdhCurves: [] };

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
  accessLogs: [],
  logsUnmatched: true,
  proxy: defaultProxySettings,
  outboundPort: 15_001,
  inboundPort: 15_006,
  httpProxyPort: 0,
  protocolDetectionTimeout: zeroDuration,
  outboundPolicy: { mode: "allow-any", egressProxy: undefined },
  inboundMode: "passthrough",
  autoMtls: true,
  trustDomain: "cluster.local",
  trustDomainAliases: [],
  pathNormalization: "base",
};

/** The key of the mesh's settings in their collection. */
export const MESH_KEY = "mesh";

/** The settings in their collection; the defaults when the mesh says nothing. */
export function settingsIn(mesh: { get(key: string): MeshSettings | undefined }): MeshSettings {
  return mesh.get(MESH_KEY) ?? defaultMeshSettings;
}
