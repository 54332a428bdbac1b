import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { checkKeySet } from "./check-key-set.ts";

const check = (...keys: readonly unknown[]) => checkKeySet({ keys }, "the answer", 3);

async function publicJwk(alg: string) {
  return await exportJWK((await generateKeyPair(alg, { extractable: true })).publicKey);
}

describe("a fetched key set", () => {
  test("contains the keys of signatures that Envoy verifies", async () => {
    for (const alg of ["RS256", "ES256", "ES384", "ES512", "EdDSA"]) {
      const key = { ...(await publicJwk(alg)), kid: alg, alg };
      const { text, keys, leftOut } = check(key);
      expect(JSON.parse(text)).toEqual({ keys: [key] });
      expect(keys).toEqual([{ kid: alg, kty: key.kty, alg }]);
      expect(leftOut).toEqual([]);
    }
  });

  test("contains no private parts", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const { d, ...rest } = await exportJWK(privateKey);
    const { text } = check({ ...rest, d, kid: "a" });
    expect(d).toBeDefined();
    expect(JSON.parse(text)).toEqual({ keys: [{ ...rest, kid: "a" }] });
  });

  test("leaves out keys that proxies cannot use, and says why", async () => {
    const key = await publicJwk("ES256");
    const left = (wrong: unknown) => check(wrong, { ...key, kid: "good" });
    expect(left(7).leftOut).toEqual(["key 0 has no type"]);
    expect(left({ kty: "oct", k: "c2VjcmV0", kid: "s" }).leftOut).toEqual([
      "key s is symmetric, and everybody could sign with it",
    ]);
    expect(left({ kty: "AKP" }).leftOut).toEqual(["key 0 has the unknown type AKP"]);
    expect(left({ kty: "constructor" }).leftOut).toEqual(["key 0 has the unknown type constructor"]);
    expect(left({ ...key, crv: "toString", alg: "ES256" }).leftOut).toEqual(["key 0 has an unknown curve"]);
    expect(left({ ...key, use: "enc" }).leftOut).toEqual(["key 0 is not for signatures"]);
    expect(left({ ...key, crv: "secp256k1" }).leftOut).toEqual(["key 0 has an unknown curve"]);
    expect(left({ ...key, alg: "none" }).leftOut).toEqual(["key 0 has an unknown algorithm"]);
    expect(left({ ...key, x: "AA" }).leftOut).toEqual([expect.stringContaining("key 0 is no valid key")]);
    expect(left({ kty: "RSA", e: "AQAB" }).leftOut).toEqual([expect.stringContaining("key 0 is no valid key")]);
    expect(JSON.parse(left(7).text)).toEqual({ keys: [{ ...key, kid: "good" }] });
  });

  test("may be empty: the issuer has withdrawn its keys", () => {
    expect(check()).toEqual({ text: '{"keys":[]}', keys: [], leftOut: [] });
  });

  test("has a list of keys, and not too many", () => {
    for (const wrong of [null, [], "keys", { keys: {} }]) {
      expect(() => checkKeySet(wrong, "the answer", 3)).toThrow("the answer is not a JSON Web Key Set");
    }
    expect(() => check(1, 2, 3, 4)).toThrow("the answer exceeds the limit of 3 keys: 4 came");
  });
});
