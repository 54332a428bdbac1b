import { isIpAddress } from "../config/address.ts";
import type { NodeDescription } from "./describe-node.ts";

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

export interface EnvoyBootstrapOptions {
  readonly node: NodeDescription;
  readonly xds: SocketAddress;
  readonly admin: SocketAddress;
  readonly mode: "sotw" | "delta";
  /** The unix socket of the agent that hands out certificates, if there is one. */
  readonly sdsSocket?: string;
}

/** Everything over ADS from one plaintext server. */
export function envoyBootstrap({ node, xds, admin, mode, sdsSocket }: EnvoyBootstrapOptions) {
  // Without a time limit for the first answer: an Envoy that gives up on it serves with half of its configuration.
  const overAds = { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" };
  const control = grpcCluster("xds-grpc", isIpAddress(xds.host) ? "STATIC" : "STRICT_DNS", socketAddress(xds));
  const agent = sdsSocket === undefined ? [] : [grpcCluster("sds-grpc", "STATIC", { pipe: { path: sdsSocket } })];
  return {
    node,
    admin: { address: socketAddress(admin) },
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
    static_resources: { clusters: [control, ...agent] },
  };
}

const httpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

function grpcCluster(name: string, type: "STATIC" | "STRICT_DNS", address: object) {
  return {
    name,
    type,
    connect_timeout: "1s",
    typed_extension_protocol_options: {
      [httpOptions]: {
        "@type": `type.googleapis.com/${httpOptions}`,
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  };
}

function socketAddress({ host, port }: SocketAddress) {
  return { socket_address: { address: host, port_value: port } };
}
