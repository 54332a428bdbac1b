/**
 * Where a proxy finds its own certificate, its key and the roots it trusts: from the agent beside it (over SDS, through
 * the static cluster `sds-grpc`), in files on its disk, or nowhere, so that it can only speak plain text.
 */
export type Certificates =
  | {
      readonly type: "agent";
      /** Files that were mounted beside the proxy, which the agent is to serve in place of its own. */
      readonly server?: CertificateFiles;
      readonly client?: CertificateFiles;
    }
  | ({ readonly type: "files" } & CertificateFiles)
  | { readonly type: "none" };

/** Paths; "" for none. */
export interface CertificateFiles {
  readonly certificateChain: string;
  readonly privateKey: string;
  readonly rootCertificates: string;
}

/** Equal ids mean equal certificates: part of every part's id whose resources speak TLS. */
export function certificatesId(certificates: Certificates): string {
  if (certificates.type === "none") return "none";
  if (certificates.type === "files") return idOf(certificates);
  return `agent${idOf(certificates.server)}${idOf(certificates.client)}`;
}

function idOf(files: CertificateFiles | undefined): string {
  if (files === undefined) return "";
  return JSON.stringify([files.certificateChain, files.privateKey, files.rootCertificates]);
}
