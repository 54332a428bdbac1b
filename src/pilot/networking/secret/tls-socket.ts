import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { TlsParameters_TlsProtocol } from "#gen/envoy/extensions/transport_sockets/tls/v3/common_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";

/** The TLS versions of mesh mTLS. */
export const meshTlsVersions = {
  tlsMinimumProtocolVersion: TlsParameters_TlsProtocol.TLSv1_2,
  tlsMaximumProtocolVersion: TlsParameters_TlsProtocol.TLSv1_3,
} as const;

/** The encoded transport socket around an Any that holds an upstream or a downstream TLS context. */
export function tlsSocket(context: Uint8Array, writer: ProtoWriter): Uint8Array {
  return writer.encode(TransportSocketSchema, {
    name: "envoy.transport_sockets.tls",
    configType: { case: "typedConfig", value: context },
  });
}
