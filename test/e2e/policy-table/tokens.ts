import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** Two keys of issuers. `one` signs tokens unless told otherwise. */
const keys = { one: newKey(), two: newKey() };

type KeyName = keyof typeof keys;

function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** The JSON Web Key Set with the public halves of these keys. */
export function jwks(...names: readonly KeyName[]): string {
  const all = names.map((kid) => ({
    ...createPublicKey(keys[kid]).export({ format: "jwk" }),
    kid,
    alg: "ES256",
    use: "sig",
  }));
  return JSON.stringify({ keys: all });
}

/** Seconds from now. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

/** A signed token. It expires in ten minutes unless the claims have an own `exp`; undefined leaves a claim out. */
export function token(claims: Readonly<Record<string, unknown>>, key: KeyName = "one"): string {
  const head = part({ alg: "ES256", kid: key, typ: "JWT" });
  const signed = `${head}.${part({ exp: inSeconds(600), ...claims })}`;
  const signature = sign("sha256", Buffer.from(signed), { key: keys[key], dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

/** A token that claims to need no signature. */
export function unsigned(claims: Readonly<Record<string, unknown>>): string {
  return `${part({ alg: "none", typ: "JWT" })}.${part({ exp: inSeconds(600), ...claims })}.`;
}

/** The header that carries a token. */
export function bearer(text: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${text}` };
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
