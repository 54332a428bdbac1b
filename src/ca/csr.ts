import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { AsnConvert } from "@peculiar/asn1-schema";
import { CertificationRequest } from "@peculiar/asn1-csr";
import { errorFrom } from "../lib/errors.ts";
import { caLimits } from "./ca-limits.ts";
import { encodeCsr } from "./csr-frame.ts";
import { derProblem } from "./der-shape.ts";
import { keyFamilyOf, signatureAlgorithms } from "./key-family.ts";
import { weaknessOf } from "./key-strength.ts";

/**
 * A certificate request whose sender has the private key. Only the public key counts: names, extensions and attributes
 * of the request are never used.
 */
export type CsrResult =
  | { readonly type: "valid"; readonly publicKey: KeyObject }
  | { readonly type: "invalid"; readonly reason: string };

const pem =
  /^\s*-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END (?:NEW )?CERTIFICATE REQUEST-----\s*$/u;

/** Reads a CSR in PEM, and checks its key and its signature (proof of possession). Never rejects. */
export async function readCsr(text: string): Promise<CsrResult> {
  const { most } = caLimits.csrBytes;
  if (text.length > most) return invalid(`it is larger than ${most} bytes`);
  const base64 = pem.exec(text)?.[1];
  if (base64 === undefined) return invalid("it is not one certificate request in PEM");
  const der = Buffer.from(base64, "base64");
  const problem = derProblem(der);
  if (problem !== undefined) return invalid(problem);
  try {
    return await checked(der, AsnConvert.parse(der, CertificationRequest));
  } catch (thrown) {
    return invalid(errorFrom(thrown).message);
  }
}

async function checked(der: Buffer, request: CertificationRequest): Promise<CsrResult> {
  const { certificationRequestInfo: info, certificationRequestInfoRaw: signed, signature } = request;
  if (signed === undefined) return invalid("it has no content");
  const spki = Buffer.from(AsnConvert.serialize(info.subjectPKInfo));
  const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" });
  if (keyFamilyOf(publicKey) === undefined) return invalid("its key is not RSA, ECDSA P-256, ECDSA P-384 or Ed25519");
  const weakness = weaknessOf(publicKey);
  if (weakness !== undefined) return invalid(weakness);
  const algorithm = signatureAlgorithms.get(request.signatureAlgorithm.algorithm);
  if (algorithm === undefined || algorithm.type !== publicKey.asymmetricKeyType)
    return invalid("its signature algorithm is not supported");
  const frame = { content: Buffer.from(signed), signature: Buffer.from(signature), isRsa: algorithm.type === "rsa" };
  if (!encodeCsr({ ...frame, algorithm: request.signatureAlgorithm.algorithm }).equals(der))
    return invalid("it is not encoded in DER");
  const isProven = await verifies(algorithm.hash, frame.content, publicKey, frame.signature);
  return isProven ? { type: "valid", publicKey } : invalid("its signature does not match its key");
}

function verifies(hash: string | null, data: Buffer, key: KeyObject, signature: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(hash, data, key, signature, (error, isValid) => (error === null ? resolve(isValid) : reject(error)));
  });
}

function invalid(reason: string): CsrResult {
  return { type: "invalid", reason };
}
