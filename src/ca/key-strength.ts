import type { KeyObject } from "node:crypto";
import { caLimits } from "./ca-limits.ts";

const minRsaBits = 2_048;
const maxExponent = 2n ** 32n;

/** Why a public key is not safe enough for a certificate; undefined if it is. Only RSA keys can be weak. */
export function weaknessOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string | undefined {
  if (asymmetricKeyType !== "rsa") return undefined;
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails;
  const { most } = caLimits.rsaBits;
  if (modulusLength < minRsaBits) return `its RSA key has ${modulusLength} bits, fewer than ${minRsaBits}`;
  if (modulusLength > most) return `its RSA key has ${modulusLength} bits, more than ${most}`;
  const isSound = publicExponent >= 3n && publicExponent % 2n === 1n && publicExponent < maxExponent;
  return isSound ? undefined : "the public exponent of its RSA key is not safe";
}
