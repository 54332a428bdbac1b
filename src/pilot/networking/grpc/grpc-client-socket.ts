import { UpstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { ClientTls } from "../../model/destination-rule.ts";
import { exactNames } from "../secret/san-matcher.ts";
import { tlsSocket } from "../secret/tls-socket.ts";

/** The plugin of a client's bootstrap that has the workload's certificate and the mesh's roots. */
const provider = "default";
const certificate = { instanceName: provider, certificateName: "default" };
const roots = { instanceName: provider, certificateName: "ROOTCA" };

/**
 * The encoded transport socket of mesh mTLS for a proxyless client. It finds its certificates by the names of its
 * bootstrap, in the place where older clients look and in the one where newer ones do.
 */
export function grpcClientSocket(
  { subjectAltNames }: ClientTls,
  names: readonly string[],
  writer: ProtoWriter,
): Uint8Array {
  const matchSubjectAltNames = exactNames(subjectAltNames.length > 0 ? subjectAltNames : names);
  const context = writer.any(UpstreamTlsContextSchema, {
    commonTlsContext: {
      tlsCertificateCertificateProviderInstance: certificate,
      tlsCertificateProviderInstance: certificate,
      validationContextType: {
        case: "combinedValidationContext",
        value: {
          defaultValidationContext: { matchSubjectAltNames, caCertificateProviderInstance: roots },
          validationContextCertificateProviderInstance: roots,
        },
      },
    },
  });
  return tlsSocket(context, writer);
}
