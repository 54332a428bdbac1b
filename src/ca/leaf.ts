import type { KeyObject } from "node:crypto";
import { Name } from "@peculiar/asn1-x509";
import type { OpenAuthority } from "./authority.ts";
import { leafExtensions, type SubjectName } from "./extensions.ts";
import { signCertificate } from "./sign.ts";

/** Certificates are valid a little earlier, for peers whose clock is behind. As long as istiod's. */
const clockSkewMs = 2 * 60_000;

export interface LeafRequest {
  readonly names: readonly SubjectName[];
  readonly publicKey: KeyObject;
  readonly ttlMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** 16 random bytes of a CSPRNG. */
  readonly random: Uint8Array;
}

/** A signed certificate of a workload or a server. */
export interface Leaf {
  /** PEM. */
  readonly certificate: string;
  readonly notAfter: number;
}

/**
 * Signs a certificate for these names alone. It never outlives a certificate of the authority's chain. Undefined if one
 * of them has expired.
 */
export async function signLeaf(authority: OpenAuthority, request: LeafRequest): Promise<Leaf | undefined> {
  const { names, publicKey, ttlMs, now, random } = request;
  if (now >= authority.notAfter) return undefined;
  const notAfter = Math.min(now + ttlMs, authority.notAfter);
  const certificate = await signCertificate(
    {
      issuer: authority.name,
      subject: new Name(),
      publicKey,
      notBefore: now - clockSkewMs,
      notAfter,
      random,
      extensions: leafExtensions(names, authority.keyId),
    },
    authority,
  );
  return { certificate, notAfter };
}
