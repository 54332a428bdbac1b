import type { ServerCertificate, ServerTls } from "../../model/gateway/gateway.ts";
import type { Certificates } from "../../model/proxy/certificates.ts";
import { certificateSecret, meshCertificate, meshRoots, rootsSecret } from "./agent-secret.ts";
import { credentialRoots, credentialSecret } from "./credential-secret.ts";
import { fileSource } from "./file-source.ts";

/**
 * The certificate of a gateway's server: the mesh's certificate, SDS secrets, or files. Files are read by the agent,
 * which notices when they change, or else by Envoy itself. Undefined when it has none.
 */
export function serverCertificates(tls: ServerTls, certificates: Certificates) {
  const byAgent = certificates.type === "agent";
  if (tls.mode === "istio-mutual") {
    if (certificates.type === "none") return undefined;
    return certificates.type === "agent" ? secrets([meshCertificate(certificates.server)]) : files([certificates]);
  }
  if (tls.credentialNames.length > 0) return secrets(tls.credentialNames.map(credentialSecret));
  if (tls.certificates.length === 0) return undefined;
  if (!byAgent) return files(tls.certificates);
  return secrets(
    tls.certificates.map(({ certificateChain, privateKey }) => certificateSecret(certificateChain, privateKey)),
  );
}

type Secret = ReturnType<
  typeof meshCertificate | typeof meshRoots | typeof certificateSecret | typeof rootsSecret | typeof credentialSecret
>;

function secrets(list: readonly Secret[]) {
  return { tlsCertificates: [], tlsCertificateSdsSecretConfigs: list } as const;
}

function files(list: readonly ServerCertificate[]) {
  const tlsCertificates = list.map(({ certificateChain, privateKey }) => ({
    certificateChain: fileSource(certificateChain),
    privateKey: fileSource(privateKey),
  }));
  return { tlsCertificates, tlsCertificateSdsSecretConfigs: [] } as const;
}

/**
 * The CA certificates for client certificates: a secret, or a file. Without its own, the server uses the mesh's roots.
 */
export function clientRoots(tls: ServerTls, certificates: Certificates): Secret | string | undefined {
  const { mode, caCredentialName, caCertificates, credentialNames } = tls;
  const [credential] = credentialNames;
  if (mode === "istio-mutual") return rootsOfMesh(certificates);
  if (caCredentialName !== "") return credentialRoots(caCredentialName);
  if (credential !== undefined) return credentialRoots(credential);
  if (caCertificates === "") return rootsOfMesh(certificates);
  return certificates.type === "agent" ? rootsSecret(caCertificates) : caCertificates;
}

function rootsOfMesh(certificates: Certificates): Secret | string | undefined {
  if (certificates.type === "none") return undefined;
  return certificates.type === "agent" ? meshRoots(certificates.server) : certificates.rootCertificates;
}
