import type { DataSource } from "#gen/envoy/config/core/v3/base_pb.js";
import { CertificateValidationContext_TrustChainVerification as TrustChain } from "#gen/envoy/extensions/transport_sockets/tls/v3/common_pb.js";
import type { CommonTlsContext } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";

/** Whether one of some authorities, from a file, signed a certificate. Undefined if a file is not available. */
export type SignedBy = (certificate: string, authorities: string) => boolean | undefined;

/** The files that one end of TLS presents and trusts. Absent for other sources. */
export interface TlsFiles {
  readonly certificate?: string | undefined;
  readonly authorities?: string | undefined;
  /** Whether they are mesh certificates, which all proxies of the mesh trust. */
  readonly ofMesh?: boolean;
}

export function tlsFilesOf(context: CommonTlsContext | undefined): TlsFiles {
  if (context === undefined) return {};
  const [certificate] = context.tlsCertificates;
  const [secret] = context.tlsCertificateSdsSecretConfigs;
  return {
    certificate: fileOf(certificate?.certificateChain) ?? fileOfSecret(secret?.name, "file-cert:"),
    authorities: authoritiesOf(context),
  };
}

/** The roots of the operating system do not count as own authorities. */
function authoritiesOf({ validationContextType: { case: how, value } }: CommonTlsContext): string | undefined {
  if (how === "validationContext") {
    if (value.trustChainVerification === TrustChain.ACCEPT_UNTRUSTED) return undefined;
    const file = fileOf(value.trustedCa);
    return file?.startsWith("/etc/ssl/certs/") === true ? undefined : file;
  }
  if (how !== "combinedValidationContext") return undefined;
  const { defaultValidationContext: checks, validationContextSdsSecretConfig: secret } = value;
  if (checks?.trustChainVerification === TrustChain.ACCEPT_UNTRUSTED) return undefined;
  const file = fileOfSecret(secret?.name, "file-root:");
  return file === "system" ? undefined : file;
}

function fileOf(source: DataSource | undefined): string | undefined {
  return source?.specifier.case === "filename" ? source.specifier.value : undefined;
}

/** An agent reads files for its proxy, and names the secrets after them: `file-cert:CERTIFICATE~KEY`. */
function fileOfSecret(name: string | undefined, prefix: string): string | undefined {
  return name?.startsWith(prefix) === true ? name.slice(prefix.length).split("~", 1)[0] : undefined;
}

/** Why one end does not trust the other, or that trust cannot be decided. */
export interface Trust {
  readonly type: "distrusts" | "doubt";
  readonly text: string;
}

/** The trust of one end in the certificate of the other. Undefined if it trusts it, or has no own authorities. */
export function trustOf(
  { authorities }: TlsFiles,
  { certificate }: TlsFiles,
  signedBy: SignedBy | undefined,
): Trust | undefined {
  if (authorities === undefined) return undefined;
  const signed = certificate === undefined ? undefined : signedBy?.(certificate, authorities);
  if (signed === true) return undefined;
  if (signed === undefined) return { type: "doubt", text: `${doubt} ${authorities}` };
  const text = `the handshake fails: ${certificate} is not signed by an authority in ${authorities}`;
  return { type: "distrusts", text };
}

const doubt = "unknown: trust in";

export function isDoubt(note: string): boolean {
  return note.startsWith(doubt);
}
