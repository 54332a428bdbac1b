import {
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { oncePer } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { ClientTls } from "../../model/traffic/destination-rule.ts";
import { exactNames, type SanMatcher } from "../secret/peer-names.ts";
import { tlsSocket } from "../secret/tls-socket.ts";

/** The encoded transport socket of mesh mTLS for a proxyless client. */
export function grpcClientSocket(
  { subjectAltNames }: ClientTls,
  names: readonly string[],
  writer: ProtoWriter,
): Uint8Array {
  const peers = exactNames(subjectAltNames.length > 0 ? subjectAltNames : names);
  return tlsSocket(writer.any(UpstreamTlsContextSchema, { commonTlsContext: identity(peers) }), writer);
}

/** The same for a proxyless server: it accepts every workload of the mesh. */
export const grpcServerSocket = oncePer((writer: ProtoWriter): Uint8Array => {
  // Servers cannot restrict the names of clients.
  const context = { commonTlsContext: identity([]), requireClientCertificate: true };
  return tlsSocket(writer.any(DownstreamTlsContextSchema, context), writer);
});

/** The plugin of a bootstrap that has the workload's certificate and the mesh's roots. */
const provider = "default";
const certificate = { instanceName: provider, certificateName: "default" };
const roots = { instanceName: provider, certificateName: "ROOTCA" };

/**
 * The identity and trust part of a TLS context of a proxyless workload. It names the certificate providers of the
 * bootstrap. Older and newer versions of gRPC read different fields, so both are set.
 */
function identity(matchSubjectAltNames: readonly SanMatcher[]) {
  return {
    tlsCertificateCertificateProviderInstance: certificate,
    tlsCertificateProviderInstance: certificate,
    validationContextType: {
      case: "combinedValidationContext",
      value: {
        defaultValidationContext: { matchSubjectAltNames, caCertificateProviderInstance: roots },
        validationContextCertificateProviderInstance: roots,
      },
    },
  } as const;
}
