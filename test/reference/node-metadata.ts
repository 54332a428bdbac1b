import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { markdownTable } from "./table.ts";

/** Our use of a key, or the reason why it has no effect. */
type Row = { readonly use: string } | { readonly unused: string };

const ofAgent: Row = { unused: "it is for the agent and its Envoy" };
const ambient: Row = { unused: "there is no ambient mesh" };
const mounted = (side: string): Row => ({ use: `file of the certificates mounted beside the proxy, as a ${side}` });
const ownFile: Row = { use: "file of a certificate; with `SDS_MODE: files` (our own key)" };

/** Every key of node metadata that an agent of Istio may send, and our own. */
export const nodeMetadata: Readonly<Record<string, Row>> = {
  ANNOTATIONS: { unused: "istiod reads them for waypoints only" },
  APP_CONTAINERS: ofAgent,
  AUTO_REGISTER_GROUP: { use: "WorkloadGroup that the machine joins by itself" },
  BASE: ofAgent,
  CLOUDRUN_ADDR: ofAgent,
  CLUSTER_ID: { use: "cluster: endpoints of cluster-local services, DNS names of headless services, `proxy-status`" },
  DISABLE_HBONE_SEND: ambient,
  DNS_AUTO_ALLOCATE: { unused: "`DNS_CAPTURE` alone is enough, as since Istio 1.25" },
  DNS_CAPTURE: { use: "the agent answers DNS queries: services without addresses get allocated ones" },
  DNS_PROXY_ADDR: { unused: "proxies do not forward to names that the agent resolves" },
  ENABLE_HBONE: ambient,
  ENABLE_SELF_DISCOVERY: { unused: "clusters are not zone-aware: use `localityLbSetting`" },
  ENVOY_PROMETHEUS_PORT: {
    use: "reserved port: no listener of a sidecar binds it. Shows that an agent started the Envoy",
  },
  ENVOY_SECURE_MERGED_METRICS_PORT: { use: "reserved port: no listener of a sidecar binds it" },
  ENVOY_SECURE_METRICS_PORT: { use: "reserved port: no listener of a sidecar binds it" },
  ENVOY_SKIP_DEPRECATED_LOGS: ofAgent,
  ENVOY_STATUS_PORT: { use: "reserved port: no listener of a sidecar binds it. Shows that an agent started the Envoy" },
  EXIT_ON_ZERO_ACTIVE_CONNECTIONS: ofAgent,
  GENERATOR: { use: "`grpc` for proxyless clients, `event` for `istioctl`, `api` for MCP over xDS" },
  HTTP10: { use: "`1` accepts HTTP/1.0 requests" },
  HTTP_PROXY_PORT: { use: "port of the HTTP proxy for the workload" },
  IDLE_TIMEOUT: { use: "idle timeout of TCP connections" },
  INBOUND_LISTENER_EXACT_BALANCE: { use: "balances inbound connections exactly between worker threads" },
  INSTANCE_IPS: { use: "addresses of the workload: its own services, and its address families" },
  INTERCEPTION_MODE: { use: "`REDIRECT`, `TPROXY` or `NONE`" },
  ISTIO_DUAL_STACK: { use: "`true` binds both address families" },
  ISTIO_PROXY_SHA: ofAgent,
  ISTIO_REVISION: { unused: "istiod reads it from other control planes only" },
  ISTIO_VERSION: { use: "`proxyVersion` of EnvoyFilters, tags of traces, `proxy-status`" },
  LABELS: { use: "labels of the workload: selectors, `sourceLabels`, traces" },
  MESH_ID: { use: "tag of traces" },
  METADATA_DISCOVERY: { unused: "workloads are not served over xDS: only Istio's build of Envoy asks for them" },
  NAME: ofAgent,
  NAMESPACE: { use: "namespace of the workload; without it the first label of the node's domain" },
  NETWORK: { use: "network: endpoints in other networks are reached through their gateways" },
  NODE_NAME: { use: "node of the workload: its locality, and endpoints of node-local services" },
  OUTBOUND_LISTENER_EXACT_BALANCE: { use: "balances outbound connections exactly between worker threads" },
  OUTLIER_LOG_PATH: ofAgent,
  OWNER: ofAgent,
  PILOT_SAN: ofAgent,
  PLATFORM_METADATA: ofAgent,
  POD_PORTS: { unused: "named target ports are those of the endpoints" },
  PROXY_CONFIG: { use: "settings of the proxy, instead of those of the mesh" },
  REQUESTED_NETWORK_VIEW: { use: "networks whose endpoints the proxy gets" },
  SDS_MODE: { use: "source of certificates: `agent`, `files` or `none` (our own key)" },
  SERVICE_ACCOUNT: { use: "must be that of the authenticated identity" },
  STATIC_LABELS: { unused: "`LABELS` contains them" },
  STS_PORT: { unused: "istiod does not read it either" },
  TLS_CERT_CHAIN: ownFile,
  TLS_CLIENT_CERT_CHAIN: mounted("client"),
  TLS_CLIENT_KEY: mounted("client"),
  TLS_CLIENT_ROOT_CERT: mounted("client"),
  TLS_KEY: ownFile,
  TLS_ROOT_CERT: ownFile,
  TLS_SERVER_CERT_CHAIN: mounted("server"),
  TLS_SERVER_KEY: mounted("server"),
  TLS_SERVER_ROOT_CERT: mounted("server"),
  UNPRIVILEGED_POD: { use: "`true`: no listener binds a port below 1024" },
  WORKLOAD_ENTRY: {
    use: "the WorkloadEntry in Kubernetes whose health the agent reports, if it asks for health checks",
  },
  WORKLOAD_IDENTITY_SOCKET_FILE: ofAgent,
  WORKLOAD_NAME: { use: "name of the workload in traces" },
};

/** The ends of keys that the code puts together, for both sides of a connection. */
const mountedKeys: ReadonlySet<string> = new Set(["CERT_CHAIN", "KEY", "ROOT_CERT"]);

/** The keys that the code reads. */
export function keysInCode(): ReadonlySet<string> {
  const folder = join(import.meta.dirname, "../../src/pilot");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const reads = /(?:metadata\[|\b(?:text|path|isOn|portIn)\((?:metadata, )?|agentKeys = \[)"(?<key>[A-Z][A-Z0-9_]+)"/gu;
  const keys = sources.flatMap((file) =>
    Array.from(readFileSync(join(folder, file), "utf8").matchAll(reads), ({ groups }) => groups?.["key"] ?? ""),
  );
  return new Set(keys.flatMap((key) => (mountedKeys.has(key) ? [`TLS_CLIENT_${key}`, `TLS_SERVER_${key}`] : [key])));
}

export function nodeMetadataPage(): string {
  const rows = Object.entries(nodeMetadata);
  const used = rows.flatMap(([key, row]) => ("use" in row ? [[`\`${key}\``, row.use]] : []));
  const unused = rows.flatMap(([key, row]) => ("unused" in row ? [[`\`${key}\``, row.unused]] : []));
  return `# Node metadata

A proxy describes itself when it connects. Istio's agent sends its variables \`ISTIO_META_KEY\` and \`ISTIO_METAJSON_KEY\`
as \`KEY\`. Booleans and numbers may be texts. \`metadata\` of an EnvoyFilter's \`match.proxy\` may name any key.

${markdownTable(["key", "use"], used)}
## Keys without effect

${markdownTable(["key", "reason"], unused)}`;
}
