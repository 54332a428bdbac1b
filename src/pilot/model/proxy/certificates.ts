/**
 * The source of a proxy's certificate, key and trusted roots. The agent serves them over SDS (static cluster
 * `sds-grpc`), or files on disk hold them. Without a source the proxy only uses plain text.
 */
export type Certificates =
  | {
      readonly type: "agent";
      /** Files mounted beside the proxy. The agent serves them instead of its own certificate. */
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
