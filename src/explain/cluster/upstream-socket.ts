import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { Metadata, TransportSocket } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProxyProtocolUpstreamTransportSchema } from "#gen/envoy/extensions/transport_sockets/proxy_protocol/v3/upstream_proxy_protocol_pb.js";
import {
  type UpstreamTlsContext,
  UpstreamTlsContextSchema,
} from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { deepEqual } from "../../lib/equal.ts";
import type { Transport } from "../explanation.ts";

/** How a cluster connects to an endpoint. */
export interface UpstreamSocket {
  readonly transport: Transport;
  /** Undefined for plaintext. */
  readonly tls: UpstreamTlsContext | undefined;
  /** Whether a PROXY protocol header comes first. */
  readonly introduced: boolean;
}

/** Uses the first transport socket match that fits the endpoint's metadata, else the cluster's default. */
export function upstreamSocket(cluster: Cluster, endpoint: Metadata | undefined): UpstreamSocket {
  const labels = endpoint?.filterMetadata["envoy.transport_socket_match"] ?? {};
  const match = cluster.transportSocketMatches.find(({ match: wanted = {} }) =>
    Object.entries(wanted).every(([key, value]) => deepEqual(labels[key], value)),
  );
  const socket = match === undefined ? cluster.transportSocket : match.transportSocket;
  const proxyProtocol = unpack(socket, ProxyProtocolUpstreamTransportSchema);
  const tls = unpack(proxyProtocol === undefined ? socket : proxyProtocol.transportSocket, UpstreamTlsContextSchema);
  return { transport: transportOf(tls), tls, introduced: proxyProtocol !== undefined };
}

function unpack<Desc extends typeof UpstreamTlsContextSchema | typeof ProxyProtocolUpstreamTransportSchema>(
  socket: TransportSocket | undefined,
  schema: Desc,
) {
  const config = socket?.configType;
  return config?.case === "typedConfig" ? anyUnpack(config.value, schema) : undefined;
}

function transportOf(tls: UpstreamTlsContext | undefined): Transport {
  if (tls === undefined) return "plaintext";
  const { tlsCertificates = [], tlsCertificateSdsSecretConfigs = [] } = tls.commonTlsContext ?? {};
  return tlsCertificates.length + tlsCertificateSdsSecretConfigs.length === 0 ? "TLS" : "mutual TLS";
}
