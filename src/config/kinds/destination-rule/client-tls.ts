import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as Mode,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { error, errorUnless, type Finding } from "../../finding.ts";
import { filePaths } from "../../rules/file-path.ts";

/**
 * TLS to a destination. Every set field must have an effect: an author who names a certificate does not expect
 * plaintext.
 */
export function clientTlsSettings(tls: ClientTLSSettings | undefined, path: string): readonly Finding[] {
  if (tls === undefined) return [];
  return [
    ...filePaths(tls, files, path),
    ...serverName(tls, `${path}.sni`),
    ...modeRules(tls, path),
    ...blindTrust(tls, path),
  ];
}

const files = ["clientCertificate", "privateKey", "caCertificates", "caCrl"] as const;

/** The largest name length in TLS. */
const maxNameLength = 255;

/** Envoy refuses a cluster with an SNI that cannot be sent. */
function serverName({ sni }: ClientTLSSettings, path: string): readonly Finding[] {
  return errorUnless(!sni.includes("\0") && Buffer.byteLength(sni) <= maxNameLength, path, {
    code: "bad-host",
    message: `an SNI has at most ${maxNameLength} bytes, and none of them is zero`,
  });
}

function modeRules(tls: ClientTLSSettings, path: string): readonly Finding[] {
  const { mode, clientCertificate, privateKey, caCertificates, credentialName } = tls;
  const files = clientCertificate !== "" || privateKey !== "" || caCertificates !== "";
  if (mode === Mode.ISTIO_MUTUAL) {
    return errorUnless(!files && credentialName === "", path, {
      code: "conflicting-fields",
      message: "ISTIO_MUTUAL uses the mesh's own certificates; remove the certificates here",
    });
  }
  if (mode === Mode.DISABLE) {
    return errorUnless(!files && credentialName === "", path, {
      code: "useless-tls",
      message: "mode DISABLE sends plaintext and ignores the certificates",
      hint: "set the mode to SIMPLE or MUTUAL",
    });
  }
  if (credentialName !== "") {
    return errorUnless(!files && tls.caCrl === "", path, {
      code: "conflicting-fields",
      message: "credentialName cannot be combined with files of certificates",
    });
  }
  return mode === Mode.MUTUAL ? clientFiles(tls, path) : [];
}

function clientFiles({ clientCertificate, privateKey }: ClientTLSSettings, path: string): readonly Finding[] {
  return [
    ...(clientCertificate === "" ? [missing(`${path}.clientCertificate`)] : []),
    ...(privateKey === "" ? [missing(`${path}.privateKey`)] : []),
  ];
}

/** Settings that verify the server have no effect if verification is switched off. */
function blindTrust(tls: ClientTLSSettings, path: string): readonly Finding[] {
  if (tls.insecureSkipVerify !== true) return [];
  const checks = tls.caCertificates !== "" || tls.subjectAltNames.length > 0;
  const credential = tls.mode === Mode.SIMPLE && tls.credentialName !== "";
  return errorUnless(!checks && !credential, `${path}.insecureSkipVerify`, {
    code: "conflicting-fields",
    message:
      "insecureSkipVerify cannot be combined with caCertificates, subjectAltNames or a credentialName of mode SIMPLE",
  });
}

function missing(path: string): Finding {
  return error(path, {
    code: "missing-certificate",
    message: `MUTUAL needs ${path.slice(path.lastIndexOf(".") + 1)}`,
    hint: "set both files or a credentialName",
  });
}
