import { randomBytes, webcrypto } from "node:crypto";
// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import type { Authority } from "../../ca/roots.ts";
import { Sealed } from "../../lib/sealed.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const hourMs = 3_600_000;

export interface MadeOptions {
  /** False for a certificate that must not sign others. */
  readonly isAuthority?: boolean;
  /** False for a certificate without the id of its key. Only the signature tells two of one name apart. */
  readonly keyIds?: boolean;
  /** Hours from now. */
  readonly hours?: number;
  /** The permitted uses of its key. Default: all. */
  readonly usages?: x509.KeyUsageFlags;
}

/** A self-signed authority for tests. */
export async function madeRoot(name: string, options: MadeOptions = {}): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...common(options),
    name: `O=${name}`,
    keys,
    extensions: await extensionsOf(keys.publicKey, options),
  });
  const root = pemOf(certificate);
  return { certificate: root, key: await keyOf(keys), chain: [], root };
}

/** An authority below another one, or a certificate that must not sign. */
export async function madeIntermediate(name: string, above: Authority, options: MadeOptions = {}): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const issuer = new x509.X509Certificate(above.certificate);
  const pkcs8 = x509.PemConverter.decodeFirst(above.key.reveal());
  const certificate = await x509.X509CertificateGenerator.create({
    ...common(options),
    subject: `O=${name}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]),
    extensions: await extensionsOf(keys.publicKey, options),
  });
  const between = above.certificate === above.root ? [] : [above.certificate, ...above.chain];
  return { certificate: pemOf(certificate), key: await keyOf(keys), chain: between, root: above.root };
}

function common({ hours = 1 }: MadeOptions) {
  return {
    serialNumber: randomBytes(8).toString("hex"),
    notBefore: new Date(Date.now() - hourMs),
    notAfter: new Date(Date.now() + hours * hourMs),
    signingAlgorithm: algorithm,
  };
}

async function extensionsOf(key: webcrypto.CryptoKey, options: MadeOptions): Promise<x509.Extension[]> {
  const { isAuthority = true, keyIds = true, usages } = options;
  return [
    new x509.BasicConstraintsExtension(isAuthority, undefined, true),
    ...(usages === undefined ? [] : [new x509.KeyUsagesExtension(usages, true)]),
    ...(keyIds ? [await x509.SubjectKeyIdentifierExtension.create(key)] : []),
  ];
}

async function keyOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<Sealed<string>> {
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", privateKey));
  return new Sealed(`${x509.PemConverter.encode(key, "PRIVATE KEY")}\n`);
}

function pemOf(certificate: x509.X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}
