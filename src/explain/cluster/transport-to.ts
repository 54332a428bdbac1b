import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { Metadata, TransportSocket } from "#gen/envoy/config/core/v3/base_pb.js";
import { UpstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { deepEqual } from "../../lib/equal.ts";
import type { Transport } from "../explanation.ts";

/** How the cluster speaks to an endpoint: by the first of its matches that fits the endpoint's metadata, else as ever. */
export function transportTo(cluster: Cluster, endpoint: Metadata | undefined): Transport {
  const labels = endpoint?.filterMetadata["envoy.transport_socket_match"] ?? {};
  const match = cluster.transportSocketMatches.find(({ match: wanted = {} }) =>
    Object.entries(wanted).every(([key, value]) => deepEqual(labels[key], value)),
  );
  return transportOf(match === undefined ? cluster.transportSocket : match.transportSocket);
}

function transportOf(socket: TransportSocket | undefined): Transport {
  const config = socket?.configType;
  const tls = config?.case === "typedConfig" ? anyUnpack(config.value, UpstreamTlsContextSchema) : undefined;
  if (tls === undefined) return "plaintext";
  const { tlsCertificates = [], tlsCertificateSdsSecretConfigs = [] } = tls.commonTlsContext ?? {};
  return tlsCertificates.length + tlsCertificateSdsSecretConfigs.length === 0 ? "TLS" : "mutual TLS";
}
