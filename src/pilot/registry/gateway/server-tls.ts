import type { ServerTLSSettings } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import {
  ServerTLSSettings_TLSmode as Mode,
  ServerTLSSettings_TLSProtocol as Version,
} from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { ServerCertificate, ServerTls, ServerTlsMode, TlsVersion } from "../../model/gateway/gateway.ts";

const modes: Readonly<Record<Mode, ServerTlsMode>> = {
  [Mode.PASSTHROUGH]: "passthrough",
  [Mode.SIMPLE]: "simple",
  [Mode.MUTUAL]: "mutual",
  [Mode.AUTO_PASSTHROUGH]: "auto-passthrough",
  [Mode.ISTIO_MUTUAL]: "istio-mutual",
  [Mode.OPTIONAL_MUTUAL]: "optional-mutual",
};

const versions: Readonly<Record<Version, TlsVersion>> = {
  [Version.TLS_AUTO]: "auto",
  [Version.TLSV1_0]: "1.0",
  [Version.TLSV1_1]: "1.1",
  [Version.TLSV1_2]: "1.2",
  [Version.TLSV1_3]: "1.3",
};

export function serverTlsOf(settings: ServerTLSSettings): ServerTls {
  const { credentialName, credentialNames, tlsCertificates } = settings;
  return {
    httpsRedirect: settings.httpsRedirect,
    mode: modes[settings.mode],
    credentialNames: credentialNames.length > 0 || credentialName === "" ? credentialNames : [credentialName],
    caCredentialName: settings.caCertCredentialName,
    certificates: certificatesOf(settings),
    caCertificates:
      tlsCertificates.find(({ caCertificates }) => caCertificates !== "")?.caCertificates ?? settings.caCertificates,
    caCrl: settings.caCrl,
    subjectAltNames: settings.subjectAltNames,
    verifySpki: settings.verifyCertificateSpki,
    verifyHash: settings.verifyCertificateHash,
    insecureSkipVerify: settings.insecureSkipVerify ?? false,
    minVersion: versions[settings.minProtocolVersion],
    maxVersion: versions[settings.maxProtocolVersion],
    cipherSuites: settings.cipherSuites,
    ecdhCurves: settings.ecdhCurves,
  };
}

/** The list of certificate pairs, or the single pair of the older fields. */
function certificatesOf(settings: ServerTLSSettings): readonly ServerCertificate[] {
  const { tlsCertificates, serverCertificate, privateKey } = settings;
  if (tlsCertificates.length > 0) {
    return tlsCertificates.map((each) => ({ certificateChain: each.serverCertificate, privateKey: each.privateKey }));
  }
  return serverCertificate === "" ? [] : [{ certificateChain: serverCertificate, privateKey }];
}
