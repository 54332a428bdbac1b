import { createPrivateKey, webcrypto } from "node:crypto";
// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const algorithms = {
  "P-256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  "P-384": { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  "P-521": { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  "RSA 1024": rsa(1_024, "SHA-256"),
  "RSA 2048": rsa(2_048, "SHA-256"),
  "RSA 2048 SHA-1": rsa(2_048, "SHA-1"),
  "RSA 2048 SHA-512": rsa(2_048, "SHA-512"),
  Ed25519: { name: "Ed25519" },
} as const;

function rsa(modulusLength: number, hash: string) {
  return { name: "RSASSA-PKCS1-v1_5", modulusLength, publicExponent: new Uint8Array([1, 0, 1]), hash };
}

export interface CsrOptions {
  readonly algorithm?: keyof typeof algorithms;
  readonly subject?: string;
  /** The alternative names that the request asks for. */
  readonly names?: readonly x509.JsonGeneralName[];
  /** Asks for the certificate of an authority. */
  readonly authority?: boolean;
}

/** A certificate request in PEM, and its private key. */
export async function makeCsr({ algorithm = "P-256", subject = "", names = [], authority }: CsrOptions = {}) {
  const signingAlgorithm = algorithms[algorithm];
  const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm,
    extensions: [
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension([...names])] : []),
      ...(authority === true ? [new x509.BasicConstraintsExtension(true)] : []),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  return { csr: request.toString("pem"), key };
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;
