import { isIpAddress } from "../../config/grammar/address.ts";
import { maxProgramSize } from "../../config/grammar/re2/program-limit.ts";
import type { BootstrapNode } from "./describe-node.ts";

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

/** TLS settings of the connection to the control plane. */
export interface XdsTls {
  /** The CA certificates that verify the control plane. */
  readonly rootCertificates: string;
  /** The client certificate of the proxy; optional. */
  readonly client?: { readonly certificateChain: string; readonly privateKey: string };
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
}

/** A bootstrap that gets everything over ADS from one server. */
export function envoyBootstrap({ node, xds, xdsTls, admin, mode, sdsSocket }: EnvoyBootstrapOptions) {
  // No timeout for the first answer: after a timeout, Envoy would serve with half of its configuration.
  const overAds = { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" };
  const control = {
    ...grpcCluster("xds-grpc", isIpAddress(xds.host) ? "STATIC" : "STRICT_DNS", socketAddress(xds)),
    ...(xdsTls && { transport_socket: tlsSocket(xds.host, xdsTls) }),
  };
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
    layered_runtime: {
      layers: [
        { name: "static", static_layer: runtime },
        { name: "admin", admin_layer: {} },
      ],
    },
  };
}

/** By default, Envoy limits regular expressions to 100 instructions. Users of Istio expect a higher limit. */
const runtime = { "re2.max_program_size.error_level": maxProgramSize };

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

const tlsContext = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";

/** Envoy reads these files only at its start. To rotate certificates at run time, use SDS. */
function tlsSocket(host: string, { rootCertificates, client }: XdsTls) {
  const san_type = isIpAddress(host) ? "IP_ADDRESS" : "DNS";
  return {
    name: "envoy.transport_sockets.tls",
    typed_config: {
      "@type": `type.googleapis.com/${tlsContext}`,
      ...(san_type === "DNS" && { sni: host }),
      common_tls_context: {
        alpn_protocols: ["h2"],
        ...(client && {
          tls_certificates: [
            { certificate_chain: { filename: client.certificateChain }, private_key: { filename: client.privateKey } },
          ],
        }),
        validation_context: {
          trusted_ca: { filename: rootCertificates },
          match_typed_subject_alt_names: [{ san_type, matcher: { exact: host } }],
        },
      },
    },
  };
}

function socketAddress({ host, port }: SocketAddress) {
  return { socket_address: { address: host, port_value: port } };
}
