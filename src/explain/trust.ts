import type { DataSource } from "#gen/envoy/config/core/v3/base_pb.js";
import { CertificateValidationContext_TrustChainVerification as TrustChain } from "#gen/envoy/extensions/transport_sockets/tls/v3/common_pb.js";
import type { SdsSecretConfig } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import type { CommonTlsContext } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";

/** The certificates of authorities and their lists of revoked certificates, both in PEM. */
export interface KnownAuthorities {
  readonly certificates: string;
  readonly revocations: string | undefined;
}

/**
 * Whether an authority, from a file or from a secret, signed the certificate in a file, and did not revoke it. Undefined
 * if a file is not available.
 */
export type SignedBy = (
  certificate: string,
  authorities: string | KnownAuthorities,
) => "signed" | "not signed" | "revoked" | undefined;

/** The files that one end of TLS presents and trusts. Absent for other sources. */
export interface TlsFiles {
  readonly certificate?: string | undefined;
  readonly authorities?: string | undefined;
  /** The secret with the trusted authorities, if the control plane sends it. */
  readonly secret?: string | undefined;
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
    secret: secretOf(context),
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

function secretOf({ validationContextType: { case: how, value } }: CommonTlsContext): string | undefined {
  if (how === "validationContextSdsSecretConfig") return nameOf(value);
  if (how !== "combinedValidationContext") return undefined;
  const { defaultValidationContext: checks, validationContextSdsSecretConfig: secret } = value;
  return checks?.trustChainVerification === TrustChain.ACCEPT_UNTRUSTED ? undefined : nameOf(secret);
}

/** Secrets from an agent are not known to the control plane. */
function nameOf(secret: SdsSecretConfig | undefined): string | undefined {
  return secret?.sdsConfig?.configSourceSpecifier.case === "ads" ? secret.name : undefined;
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

/** Finds the content of secrets, and compares certificates. */
export interface TrustContext {
  readonly signedBy?: SignedBy | undefined;
  readonly authoritiesOf?: ((secret: string) => KnownAuthorities | undefined) | undefined;
}

/** The trust of one end in the certificate of the other. Undefined if it trusts it, or has no own authorities. */
export function trustOf(
  { authorities: file, secret }: TlsFiles,
  { certificate }: TlsFiles,
  { signedBy, authoritiesOf: known }: TrustContext,
): Trust | undefined {
  const name = file ?? (secret === undefined ? undefined : `secret ${secret}`);
  if (name === undefined) return undefined;
  const authorities = file ?? known?.(secret ?? "");
  const signed =
    certificate === undefined || authorities === undefined ? undefined : signedBy?.(certificate, authorities);
  switch (signed) {
    case "signed":
      return undefined;
    case "not signed":
      return {
        type: "distrusts",
        text: `the handshake fails: ${certificate} is not signed by an authority in ${name}`,
      };
    case "revoked":
      return { type: "distrusts", text: `the handshake fails: ${certificate} is revoked by an authority in ${name}` };
    case undefined:
    default:
      return { type: "doubt", text: `${doubt} ${name}` };
  }
}

const doubt = "unknown: trust in";

export function isDoubt(note: string): boolean {
  return note.startsWith(doubt);
}
