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
  "a token in base64": Buffer.from(`{"token":"${token}"}`).toString("base64"),
  "a token in base64 after a name": `token-${Buffer.from(token).toString("base64url")}`,
  "a token in base64 in base64": Buffer.from(Buffer.from(token).toString("base64")).toString("base64"),
  "a key in base64 in lines": Buffer.from(pem).toString("base64").replaceAll(/.{64}/gu, "$&\n  "),
  "a password in a URL": "redis://cache:hunter22@redis.shop:6379",
  "a password in a URL in base64": Buffer.from('{"url":"https://me:hunter22@a.example"}').toString("base64"),
  "a token that says what it is": "ghp_0123456789abcdefghij",
};

describe("a value without keys", () => {
  test.each(Object.entries(secretTexts))("has no %s", (_, text) => {
    expect(withoutKeys({ a: ["x", { b: text }] })).toEqual({ a: ["x", { b: redacted }] });
  });

  test.each(
    [
      ["password", "private_key", "privateKey", "accessToken", "clientSecret", "generic_secret", "session_ticket_keys"],
      ["API_TOKEN", "token"],
    ].flat(),
  )("has no texts in %s", (field) => {
    expect(withoutKeys({ [field]: { inline_string: "short", filename: "/etc/key.pem" }, host: "a" })).toEqual({
      [field]: { inline_string: redacted, filename: "/etc/key.pem" },
      host: "a",
    });
  });

  test("has no value of a variable or a header with such a name", () => {
    const value = {
      env: [
        { name: "API_TOKEN", value: "short" },
        { name: "LEVEL", value: "debug" },
      ],
      add: { header: { key: "x-api-key", value: "short" }, append: false },
      set: { authorization: "short", "x-user": "me" },
    };
    expect(withoutKeys(value)).toEqual({
      env: [
        { name: "API_TOKEN", value: redacted },
        { name: "LEVEL", value: "debug" },
      ],
      add: { header: { key: "x-api-key", value: redacted }, append: false },
      set: { authorization: redacted, "x-user": "me" },
    });
  });

  test("is the same object if there is nothing to hide", () => {
    const value = {
      name: "routes",
      jwks: JSON.stringify({ keys: [{ kty: "EC", x: "abcdefghijklmnopqrstuvwxyz", use: "sig" }] }),
      certificate: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
      list: [1, true, null, "a basic route"],
      headers: { authorization: { prefix: "Bearer " }, cookie: { regex: "^(.*?;)?(user=jason)(;.*)?$" } },
      fromHeaders: [{ name: "x-jwt-token", prefix: "Bearer " }],
      fromParams: ["access_token"],
      hosts: ["a-very-long-name-of-a-service-in-a-namespace.shop.svc.cluster.local"],
      digest: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
      uri: "https://registry.example:5000/filters/auth@sha256:0123456789abcdef0123456789abcdef",
    };
    expect(withoutKeys(value)).toBe(value);
  });
});
