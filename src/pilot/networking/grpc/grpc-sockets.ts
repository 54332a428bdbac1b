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

/** The same for a proxyless server: every workload of the mesh is let in. */
export const grpcServerSocket = oncePer((writer: ProtoWriter): Uint8Array => {
  // Servers know no conditions on what a client is called.
  const context = { commonTlsContext: identity([]), requireClientCertificate: true };
  return tlsSocket(writer.any(DownstreamTlsContextSchema, context), writer);
});

/** The plugin of a bootstrap that has the workload's certificate and the mesh's roots. */
const provider = "default";
const certificate = { instanceName: provider, certificateName: "default" };
const roots = { instanceName: provider, certificateName: "ROOTCA" };

/**
 * The part of a TLS context that says who a proxyless workload is and whom it trusts. It finds its certificates by the
 * names of its bootstrap, in the place where older versions of gRPC look and in the one where newer ones do.
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
