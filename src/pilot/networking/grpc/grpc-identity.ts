import type { SanMatcher } from "../secret/san-matcher.ts";

/** The plugin of a bootstrap that has the workload's certificate and the mesh's roots. */
const provider = "default";
const certificate = { instanceName: provider, certificateName: "default" };
const roots = { instanceName: provider, certificateName: "ROOTCA" };

/**
 * The part of a TLS context that says who a proxyless workload is and whom it trusts. It finds its certificates by the
 * names of its bootstrap, in the place where older versions of gRPC look and in the one where newer ones do.
 */
export function grpcIdentity(matchSubjectAltNames: readonly SanMatcher[]) {
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
