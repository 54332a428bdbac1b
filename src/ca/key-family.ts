import type { KeyObject } from "node:crypto";

/** The kinds of keys that certificates may have. */
export type KeyFamily = "rsa" | "P-256" | "P-384" | "ed25519";

/** Undefined for every other kind, and for curves that a key describes by numbers instead of by name. */
export function keyFamilyOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): KeyFamily | undefined {
  if (asymmetricKeyType === "rsa" || asymmetricKeyType === "ed25519") return asymmetricKeyType;
  if (asymmetricKeyType !== "ec") return undefined;
  return curves.get(asymmetricKeyDetails?.namedCurve ?? "");
}

const curves: ReadonlyMap<string, KeyFamily> = new Map([
  ["prime256v1", "P-256"],
  ["secp384r1", "P-384"],
]);

/** A signature algorithm, as the type of its key and the hash in Node's names. */
export interface SignatureAlgorithm {
  readonly type: "rsa" | "ec" | "ed25519";
  readonly hash: string | null;
}

/** By object identifier. SHA-1 and MD5 are not safe. */
export const signatureAlgorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ["1.2.840.113549.1.1.11", { type: "rsa", hash: "sha256" }],
  ["1.2.840.113549.1.1.12", { type: "rsa", hash: "sha384" }],
  ["1.2.840.113549.1.1.13", { type: "rsa", hash: "sha512" }],
  ["1.2.840.10045.4.3.2", { type: "ec", hash: "sha256" }],
  ["1.2.840.10045.4.3.3", { type: "ec", hash: "sha384" }],
  ["1.2.840.10045.4.3.4", { type: "ec", hash: "sha512" }],
  ["1.3.101.112", { type: "ed25519", hash: null }],
]);

/** The object identifier of the algorithm with which a key of each kind signs certificates. */
export const signsWith: Readonly<Record<KeyFamily, string>> = {
  rsa: "1.2.840.113549.1.1.11",
  "P-256": "1.2.840.10045.4.3.2",
  "P-384": "1.2.840.10045.4.3.3",
  ed25519: "1.3.101.112",
};
