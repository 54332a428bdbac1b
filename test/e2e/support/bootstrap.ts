import type { JsonObject } from "@bufbuild/protobuf";

/** Who a proxy says it is. `metadata` is laid over what every proxy of ours sends. */
export interface EnvoyNode {
  readonly id: string;
  readonly metadata: JsonObject;
}

/** What every proxy sends; its node is laid over it. */
export const commonMetadata = {
  CLUSTER_ID: "Kubernetes",
  ISTIO_VERSION: "1.29.6",
  INSTANCE_IPS: "127.0.0.1",
  PROXY_CONFIG: {},
};

export const gatewayNode: EnvoyNode = {
  id: "router~127.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local",
  metadata: { NAMESPACE: "istio-system", LABELS: { app: "gw" } },
};

/** A sidecar without interception: its listeners bind `127.0.0.1:<service port>`, so it needs no root. */
export const sidecarNode: EnvoyNode = {
  id: "sidecar~127.0.0.9~client-0.default~default.svc.cluster.local",
  metadata: { NAMESPACE: "default", INSTANCE_IPS: "127.0.0.9", INTERCEPTION_MODE: "NONE", LABELS: { app: "client" } },
};

/** The part of Envoy's bootstrap that varies; `startEnvoyWith` adds the admin address. */
export type Bootstrap = Readonly<Record<string, unknown>>;

/** A bootstrap that takes everything over ADS from a plaintext server on loopback. */
export function adsBootstrap(xdsPort: number, mode: "sotw" | "delta", node: EnvoyNode): Bootstrap {
  const overAds = { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" };
  return {
    node: { id: node.id, cluster: "test", metadata: { ...commonMetadata, ...node.metadata } },
    dynamic_resources: {
      ads_config: {
        api_type: mode === "delta" ? "DELTA_GRPC" : "GRPC",
        transport_api_version: "V3",
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: "xds-grpc" } }],
      },
      cds_config: overAds,
      lds_config: overAds,
    },
    static_resources: { clusters: [xdsCluster(xdsPort)] },
  };
}

const httpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

function xdsCluster(port: number) {
  const address = { socket_address: { address: "127.0.0.1", port_value: port } };
  return {
    name: "xds-grpc",
    type: "STATIC",
    connect_timeout: "1s",
    typed_extension_protocol_options: {
      [httpOptions]: {
        "@type": `type.googleapis.com/${httpOptions}`,
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: { cluster_name: "xds-grpc", endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  };
}
