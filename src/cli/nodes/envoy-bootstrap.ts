import { maxProgramSize } from "../../config/grammar/re2/program-limit.ts";
import { grpcCluster, pipeCluster, type SocketAddress, socketAddress } from "./bootstrap-cluster.ts";
import type { BootstrapNode } from "./describe-node.ts";
import { tlsSocket, type XdsTls } from "./tls-socket.ts";

/** The parts of a bootstrap that a ProxyConfig adds. */
export interface BootstrapSettings {
  readonly clusters: readonly object[];
  readonly runtime: Readonly<Record<string, string>>;
  /** Further top-level fields. */
  readonly fields: object;
}

export interface EnvoyBootstrapOptions {
  readonly node: BootstrapNode;
  readonly xds: SocketAddress;
  /** Without it, the connection is plaintext. */
  readonly xdsTls?: XdsTls;
  readonly admin: SocketAddress;
  readonly mode: "sotw" | "delta";
  /** The unix socket of the SDS agent, if there is one. */
  readonly sdsSocket?: string;
  /** From a ProxyConfig. */
  readonly settings?: BootstrapSettings;
}

/** A bootstrap that gets everything over ADS from one server. */
export function envoyBootstrap(options: EnvoyBootstrapOptions) {
  const { node, xds, xdsTls, admin, mode, sdsSocket, settings = noSettings } = options;
  // No timeout for the first answer: after a timeout, Envoy would serve with half of its configuration.
  const overAds = { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" };
  const control = {
    ...grpcCluster("xds-grpc", xds),
    ...(xdsTls && { transport_socket: tlsSocket(xds.host, xdsTls) }),
  };
  const agent = sdsSocket === undefined ? [] : [pipeCluster("sds-grpc", sdsSocket)];
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
    static_resources: { clusters: [control, ...agent, ...settings.clusters] },
    layered_runtime: {
      layers: [
        { name: "static", static_layer: { ...runtime, ...settings.runtime } },
        { name: "admin", admin_layer: {} },
      ],
    },
    ...settings.fields,
  };
}

/** By default, Envoy limits regular expressions to 100 instructions. Users of Istio expect a higher limit. */
const runtime = { "re2.max_program_size.error_level": maxProgramSize };

const noSettings: BootstrapSettings = { clusters: [], runtime: {}, fields: {} };
