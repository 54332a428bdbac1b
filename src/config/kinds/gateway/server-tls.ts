import {
  ServerTLSSettings_TLSmode as Mode,
  type Port,
  ServerTLSSettings_TLSProtocol as Protocol,
  type Server,
  type ServerTLSSettings,
} from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless, type Finding, warning } from "../../finding.ts";
import { ecdhCurves } from "../../rules/ecdh-curves.ts";
import { filePaths } from "../../rules/file-path.ts";
import { isHttpProtocol, isTlsProtocol } from "../../rules/port.ts";

/** Requires TLS if the protocol needs it, forbids TLS if it cannot be, and checks the certificates of the mode. */
export function serverTls({ tls }: Server, { protocol }: Port, serverPath: string): readonly Finding[] {
  const path = `${serverPath}.tls`;
  if (isTlsProtocol(protocol)) {
    if (tls !== undefined) return [...certificates(tls, path), ...uselessRedirect(protocol, tls, path)];
    return [error(path, { code: "missing-tls", message: `a server for ${protocol} needs tls` })];
  }
  if (tls === undefined) return [];
  if (!isHttpProtocol(protocol)) {
    return [error(path, { code: "useless-tls", message: `a server for ${protocol} cannot have tls` })];
  }
  const isPassedOn = tls.mode === Mode.PASSTHROUGH || tls.mode === Mode.AUTO_PASSTHROUGH;
  const files = tls.serverCertificate !== "" || tls.privateKey !== "" || tls.caCertificates !== "";
  return [
    ...errorUnless(isPassedOn && !files, path, {
      code: "useless-tls",
      message: `a server for ${protocol} can have tls only for httpsRedirect`,
      hint: "set the protocol to HTTPS",
    }),
    ...(isPassedOn && !files ? certificates(tls, path) : []),
  ];
}

function uselessRedirect(protocol: string, { httpsRedirect }: ServerTLSSettings, path: string): readonly Finding[] {
  if (!httpsRedirect) return [];
  const message = `a server for ${protocol} has nothing to redirect`;
  return [warning(`${path}.httpsRedirect`, { code: "useless-field", message, hint: "set it on a server for HTTP" })];
}

function namesCertificate(tls: ServerTLSSettings): boolean {
  const { credentialName, credentialNames, tlsCertificates, serverCertificate, privateKey } = tls;
  const lists = credentialNames.length + tlsCertificates.length > 0;
  return lists || credentialName !== "" || serverCertificate !== "" || privateKey !== "";
}

/** Checks the certificates that a mode needs, and the other fields that it allows. */
export function certificates(tls: ServerTLSSettings, path: string): readonly Finding[] {
  return [
    ...filePaths(tls, ["serverCertificate", "privateKey", "caCertificates", "caCrl"], path),
    ...revocations(tls, path),
    ...oldProtocols(tls, path),
    ...fingerprints(tls, path),
    ...passedOverCurves(tls, path),
    ...certificatesOf(tls, path),
  ];
}

/** The hash of a certificate in hexadecimal digits, optionally in pairs with colons; the hash of a key in base64. */
function fingerprints(tls: ServerTLSSettings, path: string): readonly Finding[] {
  return Object.entries(fingerprintForms).flatMap(([field, form]) =>
    tls[field as keyof typeof fingerprintForms].flatMap((hash, index) =>
      errorUnless(form.test(hash), fieldPath(path, field, index), {
        code: "bad-value",
        message: `"${hash}" is not a SHA-256 hash in a form that Envoy accepts`,
      }),
    ),
  );
}

/** Curves for which Envoy would reject the listener are left out. */
function passedOverCurves(tls: ServerTLSSettings, path: string): readonly Finding[] {
  return ecdhCurves(tls.ecdhCurves, `${path}.ecdhCurves`).map((finding) => ({ ...finding, severity: "warning" }));
}

const fingerprintForms = {
  verifyCertificateHash: /^(?:[\da-f]{64}|[\da-f]{2}(?::[\da-f]{2}){31})$/iu,
  verifyCertificateSpki: /^[\w+/]{43}=$/u,
};

/** A revocation list needs a mode that requires client certificates. */
function revocations({ caCrl, credentialName, mode }: ServerTLSSettings, path: string): readonly Finding[] {
  if (caCrl === "" || (mode !== Mode.SIMPLE && credentialName === "")) return [];
  const message =
    mode === Mode.SIMPLE ? "mode SIMPLE requests no client certificates" : "the credential already contains the list";
  return [error(`${path}.caCrl`, { code: "conflicting-fields", message })];
}

function oldProtocols({ minProtocolVersion, cipherSuites }: ServerTLSSettings, path: string): readonly Finding[] {
  const isOld = minProtocolVersion === Protocol.TLSV1_0 || minProtocolVersion === Protocol.TLSV1_1;
  if (!isOld || cipherSuites.length > 0) return [];
  const message = "the default cipher suites need TLS 1.2 or later, so older clients cannot connect";
  return [
    warning(`${path}.minProtocolVersion`, {
      code: "missing-value",
      message,
      hint: "set cipherSuites for older clients",
    }),
  ];
}

function certificatesOf(tls: ServerTLSSettings, path: string): readonly Finding[] {
  switch (tls.mode) {
    case Mode.ISTIO_MUTUAL:
      return errorUnless(!namesCertificate(tls) && tls.caCertificates === "", path, {
        code: "conflicting-fields",
        message: "ISTIO_MUTUAL uses the mesh's own certificates; remove the certificates here",
      });
    case Mode.SIMPLE:
      return ownCertificate(tls, path);
    case Mode.MUTUAL:
    case Mode.OPTIONAL_MUTUAL:
      return [...ownCertificate(tls, path), ...clientAuthority(tls, path)];
    case Mode.PASSTHROUGH:
    case Mode.AUTO_PASSTHROUGH:
    default:
      return namesCertificate(tls) || tls.caCertificates !== "" ? [ignored(path, tls.mode)] : [];
  }
}

function ignored(path: string, mode: Mode): Finding {
  const message = `mode ${Mode[mode]} ignores these certificates: the server behind the gateway uses its own`;
  return warning(path, { code: "useless-field", message, hint: "set the mode to SIMPLE or MUTUAL" });
}

function ownCertificate(tls: ServerTLSSettings, path: string): readonly Finding[] {
  const files = tls.serverCertificate !== "" || tls.privateKey !== "";
  const ways = [files, tls.credentialName !== "", tls.credentialNames.length > 0, tls.tlsCertificates.length > 0];
  const several = ways.filter(Boolean).length > 1;
  if (several) {
    const message = "only one of credentialName, credentialNames, tlsCertificates and files may be set";
    return [error(path, { code: "conflicting-fields", message })];
  }
  if (tls.tlsCertificates.length > 0) {
    return tls.tlsCertificates.flatMap((pair, index) =>
      certificateFiles(pair, fieldPath(path, "tlsCertificates", index), tls.mode),
    );
  }
  return ways.includes(true) && !files ? [] : certificateFiles(tls, path, tls.mode);
}

interface CertificateFiles {
  readonly serverCertificate: string;
  readonly privateKey: string;
}

function certificateFiles(files: CertificateFiles, path: string, mode: Mode): readonly Finding[] {
  return (["serverCertificate", "privateKey"] as const)
    .filter((field) => files[field] === "")
    .map((field) => missing(`${path}.${field}`, mode, field));
}

/** A credential contains the CA certificate beside the certificate. */
function clientAuthority(tls: ServerTLSSettings, path: string): readonly Finding[] {
  const credential = tls.credentialName !== "" || tls.credentialNames.length > 0 || tls.caCertCredentialName !== "";
  const inList = tls.tlsCertificates.some(({ caCertificates }) => caCertificates !== "");
  if (credential || inList || tls.caCertificates !== "") return [];
  return [missing(`${path}.caCertificates`, tls.mode, "caCertificates")];
}

function missing(path: string, mode: Mode, field: string): Finding {
  const message = `tls mode ${Mode[mode]} needs ${field}`;
  return error(path, { code: "missing-certificate", message, hint: "set the files or a credentialName" });
}
