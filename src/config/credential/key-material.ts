import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Remark } from "../finding.ts";
import { pemBlocks } from "./pem-blocks.ts";
import { isRevocationList } from "./revocation-list.ts";

const certificateBlock =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** The certificates of a PEM text, in order; undefined if one of them is unreadable or there is none. */
export function certificatesIn(pem: Uint8Array): readonly X509Certificate[] | undefined {
  const text = textOf(pem);
  const blocks = text.match(certificateBlock) ?? [];
  const started = text.split("CERTIFICATE-----").length - 1;
  if (blocks.length === 0 || started !== blocks.length * 2) return undefined;
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

/** Why Envoy would refuse this chain. The text never quotes it. */
export function chainProblem(pem: Uint8Array): Remark | undefined {
  if (certificatesIn(pem) !== undefined) return undefined;
  const message = "this is not a chain of certificates in PEM";
  return { code: "bad-certificate", message, hint: "the server's certificate comes first, then those that signed it" };
}

/** Why Envoy would refuse this key for the chain. The text never quotes it. */
export function keyProblem(pem: Uint8Array, chain: Uint8Array): Remark | undefined {
  if (textOf(pem).includes("ENCRYPTED")) return problem("the private key is encrypted, and Envoy has no password");
  const key = privateKeyIn(pem);
  if (key === undefined) return problem("this is not a private key in PEM");
  const [leaf] = certificatesIn(chain) ?? [];
  if (leaf?.checkPrivateKey(key) === false) {
    return problem("the private key does not belong to the first certificate of the chain");
  }
  const weakness = unsupported(key);
  return weakness === undefined ? undefined : problem(weakness);
}

function problem(message: string): Remark {
  return { code: "bad-private-key", message };
}

function privateKeyIn(pem: Uint8Array): KeyObject | undefined {
  try {
    return createPrivateKey({ key: Buffer.from(pem), format: "pem" });
  } catch {
    return undefined;
  }
}

const supportedCurves: ReadonlySet<string | undefined> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** Why Envoy rejects keys of this type or size. */
function unsupported({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string | undefined {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails;
  if (asymmetricKeyType === "rsa") {
    return modulusLength < 2048
      ? `Envoy needs RSA keys of 2048 bits or more, and this has ${modulusLength}`
      : undefined;
  }
  if (asymmetricKeyType !== "ec") return `Envoy supports RSA and ECDSA keys, not ${asymmetricKeyType ?? "others"}`;
  return supportedCurves.has(namedCurve) ? undefined : `Envoy supports no ECDSA keys on the curve ${namedCurve}`;
}

/** Why Envoy would refuse these CA certificates. */
export function authoritiesProblem(pem: Uint8Array): Remark | undefined {
  if (certificatesIn(pem) !== undefined) return undefined;
  return { code: "bad-certificate", message: "these are not CA certificates in PEM" };
}

/** Why Envoy would refuse these lists of revoked certificates. Without any list it would refuse all connections. */
export function revocationsProblem(pem: Uint8Array): Remark | undefined {
  const blocks = pemBlocks(textOf(pem)) ?? [];
  const hasList = blocks.some(({ label }) => label === listLabel);
  if (hasList && blocks.every(({ label, der }) => isReadable(label, der))) return undefined;
  return { code: "bad-crl", message: "this is not a list of revoked certificates (CRL) in PEM that Envoy can read" };
}

const listLabel = "X509 CRL";
const certificateLabels: ReadonlySet<string> = new Set(["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]);

/** Envoy reads lists, and certificates beside them. It skips everything else. */
function isReadable(label: string, der: Uint8Array): boolean {
  if (label === listLabel) return isRevocationList(der);
  return !certificateLabels.has(label) || isCertificate(der);
}

function isCertificate(der: Uint8Array): boolean {
  try {
    return new X509Certificate(der).serialNumber !== "";
  } catch {
    return false;
  }
}

/** Why Envoy would refuse this staple: it must be a successful OCSP response in DER. */
export function stapleProblem(der: Uint8Array): Remark | undefined {
  const status = isSequence(der) ? der.subarray(headerLength(der)) : undefined;
  const isSuccess = status?.[0] === 0x0a && status[1] === 1 && status[2] === 0;
  return isSuccess ? undefined : { code: "bad-ocsp-staple", message: "this is not a successful OCSP response in DER" };
}

/** Whether the bytes are exactly one DER sequence. */
function isSequence(der: Uint8Array): boolean {
  const header = headerLength(der);
  if (der[0] !== 0x30 || der.length < header) return false;
  const [, first = 0] = der;
  const length = first < 0x80 ? first : der.subarray(2, header).reduce((sum, byte) => sum * 256 + byte, 0);
  return der.length === header + length;
}

function headerLength([, first = 0]: Uint8Array): number {
  return first < 0x80 ? 2 : 2 + (first & 0x7f);
}

function textOf(pem: Uint8Array): string {
  return Buffer.from(pem).toString("latin1");
}
