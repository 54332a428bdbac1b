import type { CertificateFiles, Certificates } from "../../model/proxy/certificates.ts";
import { meshCertificate, meshRoots } from "./agent-secret.ts";
import { fileSource } from "./file-source.ts";
import type { SanMatcher } from "./peer-names.ts";

/**
 * The certificates and CA certificates of mesh mTLS, for both sides. Undefined when the proxy has no certificates. A
 * peer needs one of the names; without names, every certificate of the mesh is valid.
 */
export function meshIdentity(certificates: Certificates, side: "client" | "server", peers: readonly SanMatcher[]) {
  if (certificates.type === "none") return undefined;
  return certificates.type === "agent" ? agentIdentity(certificates[side], peers) : fileIdentity(certificates, peers);
}

function agentIdentity(mounted: CertificateFiles | undefined, matchSubjectAltNames: readonly SanMatcher[]) {
  return {
    tlsCertificates: [],
    tlsCertificateSdsSecretConfigs: [meshCertificate(mounted)],
    validationContextType: {
      case: "combinedValidationContext",
      value: {
        defaultValidationContext: { matchSubjectAltNames },
        validationContextSdsSecretConfig: meshRoots(mounted),
      },
    },
  } as const;
}

function fileIdentity(
  { certificateChain, privateKey, rootCertificates }: CertificateFiles,
  matchSubjectAltNames: readonly SanMatcher[],
) {
  return {
    tlsCertificates: [{ certificateChain: fileSource(certificateChain), privateKey: fileSource(privateKey) }],
    tlsCertificateSdsSecretConfigs: [],
    validationContextType: {
      case: "validationContext",
      value: { trustedCa: fileSource(rootCertificates), matchSubjectAltNames },
    },
  } as const;
}
