import { createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import type { VerifiesToken } from "../../explain/policy/jwt/token.ts";
import { scalarText } from "../../lib/scalar-text.ts";

/** Checks the signature of a token with the keys of a set. Keys with the same `kid`, or all if the token has none. */
export const verifiesToken: VerifiesToken = (keySet, token) => {
  const keys = keysIn(keySet);
  if (keys.length === 0) return "no valid keys";
  const [head = "", payload = "", signature = ""] = token.split(".");
  const { alg: said, kid } = JSON.parse(Buffer.from(head, "base64url").toString()) as Header;
  const alg = scalarText(said);
  const algorithm = algorithms.get(alg);
  const candidates = keys.filter((key) => isFor(key, alg, kid));
  if (algorithm === undefined || candidates.length === 0) return "no key";
  const [signed, bytes] = [Buffer.from(`${head}.${payload}`), Buffer.from(signature, "base64url")];
  const isSigned = candidates.some(({ key }) => verify(algorithm.hash, signed, { key, ...algorithm.options }, bytes));
  return isSigned ? "valid" : "invalid";
};

interface Header {
  readonly alg?: unknown;
  readonly kid?: unknown;
}

interface Key {
  readonly jwk: JsonWebKey;
  readonly key: KeyObject;
}

const pss = { padding: 6, saltLength: -1 };
const ec = { dsaEncoding: "ieee-p1363" as const };

/** How signatures are checked, by algorithm. */
interface Algorithm {
  readonly hash: string | undefined;
  readonly options: object;
}

/** The asymmetric algorithms of RFC 7518 and RFC 8037. */
const algorithms: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ["EdDSA", { hash: undefined, options: {} }],
  ...["256", "384", "512"].flatMap((bits): [string, Algorithm][] => [
    [`RS${bits}`, { hash: `sha${bits}`, options: {} }],
    [`PS${bits}`, { hash: `sha${bits}`, options: pss }],
    [`ES${bits}`, { hash: `sha${bits}`, options: ec }],
  ]),
]);

function isFor({ jwk }: Key, alg: string, kid: unknown): boolean {
  if (typeof kid === "string" && typeof jwk["kid"] === "string" && jwk["kid"] !== kid) return false;
  if (typeof jwk["alg"] === "string" && jwk["alg"] !== alg) return false;
  const type = { R: "RSA", P: "RSA", E: alg === "EdDSA" ? "OKP" : "EC" }[alg.slice(0, 1)];
  return jwk.kty === type;
}

/** Keys that cannot be read are left out. */
function keysIn(keySet: string): readonly Key[] {
  try {
    const { keys } = JSON.parse(keySet) as { readonly keys?: readonly JsonWebKey[] };
    return (keys ?? []).flatMap((jwk) => {
      try {
        return [{ jwk, key: createPublicKey({ key: jwk, format: "jwk" }) }];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
