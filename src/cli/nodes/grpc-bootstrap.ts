import type { Certificates } from "../../pilot/model/proxy/certificates.ts";
import { formatAddress } from "../../transport/listen-address.ts";
import type { BootstrapNode } from "./describe-node.ts";
import type { SocketAddress } from "./bootstrap-cluster.ts";

export interface GrpcBootstrapOptions {
  readonly node: BootstrapNode;
  readonly xds: SocketAddress;
  readonly certificates: Certificates;
}

/** The bootstrap that a gRPC library reads from the file in `GRPC_XDS_BOOTSTRAP`. */
export function grpcBootstrap({ node, xds, certificates }: GrpcBootstrapOptions) {
  return {
    xds_servers: [
      {
        server_uri: formatAddress(xds.host, xds.port),
        channel_creds: [{ type: "insecure" }],
        server_features: ["xds_v3"],
      },
    ],
    // Some libraries refuse a node without a locality, even an empty one.
    node: { ...node, locality: {} },
    ...(certificates.type === "files" && { certificate_providers: { default: fileWatcher(certificates) } }),
    server_listener_resource_name_template: "xds.istio.io/grpc/lds/inbound/%s",
  };
}

function fileWatcher({ certificateChain, privateKey, rootCertificates }: Extract<Certificates, { type: "files" }>) {
  return {
    plugin_name: "file_watcher",
    config: {
      certificate_file: certificateChain,
      private_key_file: privateKey,
      ca_certificate_file: rootCertificates,
      refresh_interval: "900s",
    },
  };
}
