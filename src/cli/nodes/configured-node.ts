import type { JsonObject } from "@bufbuild/protobuf";
import type { BootstrapNode } from "./describe-node.ts";
import type { ProxyConfigJson } from "./proxy-config.ts";

/** Variables of this prefix are node metadata. */
const prefix = "ISTIO_META_";

/** The node with the settings of its ProxyConfig. Metadata from flags, in `given`, wins. */
export function configuredNode(node: BootstrapNode, config: JsonObject, given: ReadonlySet<string>): BootstrapNode {
  const { interceptionMode, meshId, proxyMetadata = {} } = config as ProxyConfigJson;
  const variables = Object.entries(proxyMetadata).filter(([name]) => name.startsWith(prefix));
  const isSidecar = node.id.startsWith("sidecar~");
  const metadata: JsonObject = {
    PROXY_CONFIG: config,
    ...(interceptionMode !== undefined && isSidecar && { INTERCEPTION_MODE: interceptionMode }),
    ...(meshId !== undefined && { MESH_ID: meshId }),
    ...Object.fromEntries(variables.map(([name, value]) => [name.slice(prefix.length), value])),
  };
  const added = Object.entries(metadata).filter(([name]) => !given.has(name));
  return {
    ...node,
    cluster: clusterOf(node, config),
    metadata: { ...node.metadata, ...Object.fromEntries(added) },
  };
}

/** The name of the Envoy in traces and statistics. */
function clusterOf({ cluster, metadata }: BootstrapNode, config: ProxyConfigJson): string {
  const { serviceCluster, tracingServiceName } = config;
  if (serviceCluster !== undefined) return serviceCluster;
  // Both are texts in the metadata of all our proxies.
  const { LABELS: labels, NAMESPACE: namespace } = metadata as { LABELS: Record<string, string>; NAMESPACE: string };
  const name = labels["service.istio.io/canonical-name"] ?? labels["app"] ?? cluster;
  if (tracingServiceName === "CANONICAL_NAME_ONLY") return name;
  return tracingServiceName === "CANONICAL_NAME_AND_NAMESPACE" ? `${name}.${namespace}` : cluster;
}
