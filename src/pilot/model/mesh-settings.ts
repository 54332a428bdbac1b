import type { ConnectionPool, OutlierDetection, TcpKeepalive } from "./destination-rule.ts";
import type { Duration } from "./duration.ts";
import type { RetryPolicy } from "./virtual-service.ts";

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
  readonly defaultRetries: RetryPolicy | undefined;
  readonly tracing: boolean;
  readonly pathNormalization: "none" | "base" | "merge-slashes" | "decode-and-merge-slashes";
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
  defaultRetries: undefined,
  tracing: true,
  pathNormalization: "base",
};
