import { UpstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { ClientTls } from "../../model/traffic/destination-rule.ts";
import { exactNames } from "../secret/san-matcher.ts";
import { tlsSocket } from "../secret/tls-socket.ts";
import { grpcIdentity } from "./grpc-identity.ts";

/** The encoded transport socket of mesh mTLS for a proxyless client. */
export function grpcClientSocket(
  { subjectAltNames }: ClientTls,
  names: readonly string[],
  writer: ProtoWriter,
): Uint8Array {
  const peers = exactNames(subjectAltNames.length > 0 ? subjectAltNames : names);
  return tlsSocket(writer.any(UpstreamTlsContextSchema, { commonTlsContext: grpcIdentity(peers) }), writer);
}
