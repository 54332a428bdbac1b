import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { redacted, withoutKeys } from "./without-keys.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
const pem1 = String(privateKey.export({ type: "sec1", format: "pem" }));
const jwk = JSON.stringify(privateKey.export({ format: "jwk" }));
const token = [`{"alg":"ES256"}`, `{"sub":"someone"}`, "a signature of it"]
  .map((part) => Buffer.from(part).toString("base64url"))
  .join(".");

const secretTexts: Readonly<Record<string, string>> = {
  "a key in PEM": pem,
  "a key in the older PEM": `before\n${pem1}`,
  "a key in base64": Buffer.from(pem).toString("base64"),
  "a key in base64 at the second alignment": Buffer.from(` ${pem}`).toString("base64"),
  "a key in base64 at the third alignment": Buffer.from(`  ${pem}`).toString("base64"),
  "a key in hexadecimal digits": Buffer.from(pem).toString("hex"),
  "a key in JOSE's form": jwk,
  "a key in JOSE's form within JSON within JSON": JSON.stringify({ config: JSON.stringify(jwk) }),
  "a token": token,
  "a bearer token": "Bearer 0123456789abcdef",
};

describe("a value without keys", () => {
  test.each(Object.entries(secretTexts))("has no %s", (_, text) => {
    expect(withoutKeys({ a: ["x", { b: text }] })).toEqual({ a: ["x", { b: redacted }] });
  });

  test.each(["password", "private_key", "privateKey", "accessToken", "clientSecret"])("has no texts in %s", (field) => {
    expect(withoutKeys({ [field]: { inline_string: "short", filename: "/etc/key.pem" }, host: "a" })).toEqual({
      [field]: { inline_string: redacted, filename: "/etc/key.pem" },
      host: "a",
    });
  });

  test("is the same object if there is nothing to hide", () => {
    const value = {
      name: "routes",
      jwks: JSON.stringify({ keys: [{ kty: "EC", x: "abcdefghijklmnopqrstuvwxyz", use: "sig" }] }),
      certificate: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
      list: [1, true, null, "a basic route"],
    };
    expect(withoutKeys(value)).toBe(value);
  });
});
