import type { KeyObject } from "node:crypto";
import type { Cancel } from "../lib/time/clock.ts";
import type { SubjectName } from "./extensions.ts";

export interface SigningRequest {
  /** The names of the certificate. They come from the authenticated caller, never from the request. */
  readonly names: readonly SubjectName[];
  readonly publicKey: KeyObject;
  readonly ttlMs: number;
  /** The request (CSR) of the owner of the key, PEM. Only a signer that cannot sign a key alone reads it. */
  readonly csr: () => string | Promise<string>;
}

export interface SignedChain {
  /** The certificate first, then its intermediate certificates. PEM, one certificate each. */
  readonly certificates: readonly string[];
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

/** Signs certificates: the authority of this process, or an external one. */
export interface Signer {
  /** Undefined if the signer cannot sign now: it is not ready, or its own certificate has expired. */
  sign(request: SigningRequest): Promise<SignedChain | undefined>;
  /** Why the signer cannot sign this request for these names. Only a signer that uses the names of requests has it. */
  readonly problemOf?: (csr: string, names: readonly SubjectName[]) => string | undefined;
  /** Every root certificate that workloads must trust, PEM. */
  readonly trusted: readonly string[];
  /** Calls back when the signing certificate or the trusted roots change. */
  onChange(listener: () => void): Cancel;
}
