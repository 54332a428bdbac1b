import { DownstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { tlsSocket } from "../secret/tls-socket.ts";
import { grpcIdentity } from "./grpc-identity.ts";

const encoded = new Memo<Uint8Array>();

/** The encoded transport socket of mesh mTLS for a proxyless server: every workload of the mesh is let in. */
export function grpcServerSocket(writer: ProtoWriter): Uint8Array {
  return encoded.get([writer], "", () => {
    // Servers know no conditions on what a client is called.
    const context = { commonTlsContext: grpcIdentity([]), requireClientCertificate: true };
    return tlsSocket(writer.any(DownstreamTlsContextSchema, context), writer);
  });
}
