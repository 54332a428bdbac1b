import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { verifiesToken } from "./verifies-token.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keySet = JSON.stringify({ keys: [publicKey.export({ format: "jwk" })] });

function tokenWith(header: unknown): string {
  const signed = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.e30`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

test.each([
  [{ alg: "ES256" }, "valid"],
  [{ alg: "ES384" }, "invalid"],
  [{ alg: "none" }, "no key"],
  [{ alg: { toString: 1 } }, "no key"],
])("a token with the header %j is %s", (header, verdict) => {
  expect(verifiesToken(keySet, tokenWith(header))).toBe(verdict);
});
