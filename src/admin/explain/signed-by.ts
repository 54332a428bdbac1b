import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { AsnConvert } from "@peculiar/asn1-schema";
import { Certificate, CertificateList, type Name } from "@peculiar/asn1-x509";
import type { KnownAuthorities, SignedBy } from "../../explain/trust.ts";

/** Compares certificates in files with authorities in files or secrets. Files are read on this machine. */
export const signedBy: SignedBy = (certificate, authorities) => {
  const [leaf, ...between] = certificatesIn(textOf(certificate)) ?? [];
  const known = typeof authorities === "string" ? fromFile(authorities) : authorities;
  const roots = certificatesIn(known?.certificates);
  if (leaf === undefined || roots === undefined) return undefined;
  if (!isSigned(leaf, between, roots)) return "not signed";
  const lists = listsIn(known?.revocations);
  return lists.length === 0 ? "signed" : judgedBy(lists, leaf);
};

/** The same, for a proxy on another machine: its files are not here. */
export const signedBySecrets: SignedBy = (certificate, authorities) =>
  typeof authorities === "string" ? undefined : signedBy(certificate, authorities);

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
const list = /-----BEGIN X509 CRL-----(?<body>[^-]+)-----END X509 CRL-----/gu;

function fromFile(file: string): KnownAuthorities | undefined {
  const certificates = textOf(file);
  return certificates === undefined ? undefined : { certificates, revocations: undefined };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Undefined if the text is missing, or has no certificates that can be read. */
function certificatesIn(text: string | undefined): readonly X509Certificate[] | undefined {
  const found = text?.match(pem) ?? [];
  try {
    return found.length === 0 ? undefined : found.map((each) => new X509Certificate(each));
  } catch {
    return undefined;
  }
}

function listsIn(text = ""): readonly CertificateList[] {
  return Array.from(text.matchAll(list), ({ groups }) =>
    AsnConvert.parse(Buffer.from(groups?.["body"] ?? "", "base64"), CertificateList),
  );
}

/** Undefined if no list is of the issuer: then Envoy does not trust the certificate, for another reason. */
function judgedBy(lists: readonly CertificateList[], leaf: X509Certificate): "signed" | "revoked" | undefined {
  const { issuer } = AsnConvert.parse(leaf.raw, Certificate).tbsCertificate;
  const own = lists.filter(({ tbsCertList }) => bytesOf(tbsCertList.issuer).equals(bytesOf(issuer)));
  if (own.length === 0) return undefined;
  const revoked = own.flatMap(({ tbsCertList }) => tbsCertList.revokedCertificates ?? []);
  const isListed = revoked.some(({ userCertificate }) => {
    return serialOf(Buffer.from(userCertificate).toString("hex")) === serialOf(leaf.serialNumber);
  });
  return isListed ? "revoked" : "signed";
}

function bytesOf(name: Name): Buffer {
  return Buffer.from(AsnConvert.serialize(name));
}

/** Numbers with and without leading zeros are equal. */
function serialOf(hex: string): string {
  return hex.toLowerCase().replace(/^0+/u, "");
}
