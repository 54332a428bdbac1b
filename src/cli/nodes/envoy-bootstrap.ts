import { isIpAddress } from "../../config/grammar/address.ts";
import { maxProgramSize } from "../../config/grammar/re2/program-limit.ts";
import type { NodeDescription } from "./describe-node.ts";

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

/** How the control plane is called over TLS. */
export interface XdsTls {
  /** The authorities that its certificate must be of. */
  readonly rootCertificates: string;
  /** What the proxy shows for itself, if it does. */
  readonly client?: { readonly certificateChain: string; readonly privateKey: string };
}

export interface EnvoyBootstrapOptions {
  readonly node: NodeDescription;
  readonly xds: SocketAddress;
  /** Plaintext without it. */
  readonly xdsTls?: XdsTls;
  readonly admin: SocketAddress;
  readonly mode: "sotw" | "delta";
  /** The unix socket of the agent that hands out certificates, if there is one. */
  readonly sdsSocket?: string;
}

/** Everything over ADS from one server. */
export function envoyBootstrap({ node, xds, xdsTls, admin, mode, sdsSocket }: EnvoyBootstrapOptions) {
  // Without a time limit for the first answer: an Envoy that gives up on it serves with half of its configuration.
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

/** Envoy takes regular expressions of 100 instructions unless told otherwise: less than users of Istio are used to. */
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

/** Files are read at the start only. Whoever replaces certificates while an Envoy runs gives them to it by SDS. */
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
