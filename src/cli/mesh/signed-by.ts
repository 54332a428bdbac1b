import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { SignedBy } from "../../explain/trust.ts";

/** Whether a CA file signed a certificate file. Both are read on this machine, under the proxy's paths. */
export const signedBy: SignedBy = (certificate, authorities) => {
  const [leaf, ...between] = certificatesIn(certificate) ?? [];
  const roots = certificatesIn(authorities);
  return leaf === undefined || roots === undefined ? undefined : isSigned(leaf, between, roots);
};

/** Signed by a CA directly, or through intermediate certificates. */
function isSigned(
  leaf: X509Certificate,
  between: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): boolean {
  const issued = (issuer: X509Certificate) => leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
  if (roots.some((root) => issued(root) || root.fingerprint256 === leaf.fingerprint256)) return true;
  return between.some((issuer, index) => issued(issuer) && isSigned(issuer, between.toSpliced(index, 1), roots));
}

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu;

/** Undefined if the file is missing, or has no certificates. */
function certificatesIn(file: string): readonly X509Certificate[] | undefined {
  try {
    const found = readFileSync(file, "utf8").match(pem) ?? [];
    return found.length === 0 ? undefined : found.map((text) => new X509Certificate(text));
  } catch {
    return undefined;
  }
}
