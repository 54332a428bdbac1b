/**
 * Where a proxy finds its own certificate, its key and the roots it trusts: from the agent beside it (over SDS, through
 * the static cluster `sds-grpc`), in files on its disk, or nowhere, so that it can only speak plain text.
 */
export type Certificates =
  | { readonly type: "agent" }
  | {
      readonly type: "files";
      readonly certificateChain: string;
      readonly privateKey: string;
      readonly rootCertificates: string;
    }
  | { readonly type: "none" };

/** Equal ids mean equal certificates: part of every part's id whose resources speak TLS. */
export function certificatesId(certificates: Certificates): string {
  if (certificates.type !== "files") return certificates.type;
  return JSON.stringify([certificates.certificateChain, certificates.privateKey, certificates.rootCertificates]);
}
