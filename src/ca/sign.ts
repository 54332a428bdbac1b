import { type KeyObject, sign } from "node:crypto";
import { AsnConvert, AsnSerializer } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  Certificate,
  type Extension,
  Extensions,
  type Name,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { type KeyFamily, signatureAlgorithms, signsWith } from "./key-family.ts";

/** The content of a certificate. */
export interface CertificateContent {
  readonly issuer: Name;
  readonly subject: Name;
  readonly publicKey: KeyObject;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** 16 random bytes of a CSPRNG. */
  readonly random: Uint8Array;
  readonly extensions: readonly Extension[];
}

export interface SigningKey {
  readonly key: KeyObject;
  readonly family: KeyFamily;
}

/** Signs a certificate. Resolves with PEM that ends with an end of line. */
export async function signCertificate(content: CertificateContent, { key, family }: SigningKey): Promise<string> {
  const signatureAlgorithm = algorithmOf(family);
  const { publicKey, notBefore, notAfter } = content;
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialOf(content.random),
    signature: signatureAlgorithm,
    issuer: content.issuer,
    validity: new Validity({ notBefore: wholeSeconds(notBefore), notAfter: wholeSeconds(notAfter) }),
    subject: content.subject,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: "spki", format: "der" }), SubjectPublicKeyInfo),
    extensions: new Extensions([...content.extensions]),
  });
  const bytes = Buffer.from(AsnSerializer.serialize(tbsCertificate));
  const signature = await signBytes(bytes, { key, family });
  const certificate = new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue: bufferOf(signature) });
  return pemOf("CERTIFICATE", Buffer.from(AsnSerializer.serialize(certificate)));
}

/** A positive number of 127 bits, always with the same length. */
function serialOf(random: Uint8Array): ArrayBuffer {
  const bytes = Uint8Array.from(random);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.buffer;
}

function wholeSeconds(ms: number): Date {
  return new Date(Math.floor(ms / 1_000) * 1_000);
}

export function algorithmOf(family: KeyFamily): AlgorithmIdentifier {
  return new AlgorithmIdentifier({ algorithm: signsWith[family], ...(family === "rsa" && { parameters: null }) });
}

export function signBytes(bytes: Buffer, { key, family }: SigningKey): Promise<Buffer> {
  const hash = signatureAlgorithms.get(signsWith[family])?.hash ?? null;
  return new Promise((resolve, reject) => {
    sign(hash, bytes, key, (error, signature) => (error === null ? resolve(signature) : reject(error)));
  });
}

export function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

export function pemOf(label: string, der: Buffer): string {
  const lines = der.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
