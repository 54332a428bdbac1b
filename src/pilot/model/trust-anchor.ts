/** A root certificate that all workloads of the mesh trust. */
export interface TrustAnchor {
  /** One certificate or more, PEM, with an end of line. */
  readonly pem: string;
}
