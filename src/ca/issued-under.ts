import type { X509Certificate } from "node:crypto";

/** The longest accepted chain between a certificate and its root. */
const maxDepth = 8;

/**
 * Whether a certificate was issued below one of the roots. It may use intermediate certificates that the client sent,
 * or that we know. TLS has verified dates and usages already, but it may trust other roots, too.
 */
export function isIssuedUnder(
  certificate: X509Certificate,
  roots: readonly X509Certificate[],
  known: readonly X509Certificate[] = [],
): boolean {
  const candidates = [...known, ...sentIssuers(certificate)].filter(({ ca }) => ca);
  let current = certificate;
  for (let depth = 0; depth < maxDepth; depth++) {
    const signed = (issuer: X509Certificate) => isSignedBy(current, issuer);
    if (roots.some(signed)) return true;
    const next = candidates.find(signed);
    if (next === undefined) return false;
    current = next;
  }
  return false;
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function sentIssuers(certificate: X509Certificate): readonly X509Certificate[] {
  const sent: X509Certificate[] = [];
  for (let issuer = certificate.issuerCertificate; issuer !== undefined; issuer = issuer.issuerCertificate) {
    if (sent.length === maxDepth) break;
    sent.push(issuer);
  }
  return sent;
}
