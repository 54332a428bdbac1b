/** A request or a connection, as far as policies can know it. */
export interface TruthRequest {
  readonly protocol: "http" | "tcp";
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly headerA: string | undefined;
  readonly headerMixed: string | undefined;
  /** `TRUST-DOMAIN/ns/NAMESPACE/sa/ACCOUNT` of a caller with mTLS. Undefined for plaintext. */
  readonly caller: string | undefined;
  /** The server name that a caller with mTLS asks for. */
  readonly sni: string;
  readonly source: string;
  /** The last address in `x-forwarded-for`. */
  readonly forwardedFor: string | undefined;
  readonly claims: TruthClaims | undefined;
}

/** The claims of a valid token. */
export interface TruthClaims {
  readonly iss: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly azp?: string;
  readonly groups?: string | readonly string[];
  /** Words in one text are a list. */
  readonly scope?: string | readonly string[];
  readonly nested?: { readonly role?: string; readonly deep?: { readonly teams: string | readonly string[] } };
}
