import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { weaknessOf } from "./key-strength.ts";

/** A public key with these numbers. Nobody needs to have its private key. */
function rsaKey(bits: number, exponent: bigint) {
  const modulus = Buffer.alloc(Math.ceil(bits / 8), 0xff);
  modulus[0] = 2 ** (((bits - 1) % 8) + 1) - 1;
  const hex = exponent.toString(16);
  const e = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex").toString("base64url");
  return createPublicKey({ key: { kty: "RSA", n: modulus.toString("base64url"), e }, format: "jwk" });
}

const exponentIsUnsafe = "the public exponent of its RSA key is not safe";

test.each([
  [2_047, 65_537n, "its RSA key has 2047 bits, fewer than 2048"],
  [2_048, 65_537n, undefined],
  [8_192, 65_537n, undefined],
  [8_193, 65_537n, "its RSA key has 8193 bits, more than 8192"],
  [2_048, 1n, exponentIsUnsafe],
  [2_048, 3n, undefined],
  [2_048, 65_536n, exponentIsUnsafe],
  [2_048, 2n ** 32n - 1n, undefined],
  [2_048, 2n ** 32n + 1n, exponentIsUnsafe],
])("an RSA key with %i bits and the exponent %s", (bits, exponent, weakness) => {
  expect(weaknessOf(rsaKey(bits, exponent))).toBe(weakness);
});

test("keys of other kinds have one size, which is safe", () => {
  expect(weaknessOf(generateKeyPairSync("ed25519").publicKey)).toBeUndefined();
  expect(weaknessOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey)).toBeUndefined();
});
