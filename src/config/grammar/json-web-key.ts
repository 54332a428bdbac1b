import { createPublicKey, type JsonWebKey } from "node:crypto";
import { errorFrom } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { ownValue } from "../../lib/own-value.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** The facts of a key that identify it, without its numbers. */
export interface KeyFacts {
  readonly kid: string | undefined;
  readonly kty: string;
  readonly alg: string | undefined;
}

/** A key that verifies signatures. */
export interface UsableKey {
  readonly facts: KeyFacts;
  /** The key without private parts. */
  readonly publicKey: JsonWebKey;
}

/** Per type: the members with the public key, and the algorithms of signatures by curve. */
const keyTypes: Readonly<Record<string, { readonly members: readonly string[]; readonly algorithms: AlgorithmsOf }>> = {
  RSA: { members: ["n", "e"], algorithms: () => ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] },
  EC: {
    members: ["crv", "x", "y"],
    algorithms: (curve) => ownValue({ "P-256": ["ES256"], "P-384": ["ES384"], "P-521": ["ES512"] }, curve) ?? [],
  },
  OKP: { members: ["crv", "x"], algorithms: (curve) => (curve === "Ed25519" ? ["EdDSA"] : []) },
};

type AlgorithmsOf = (curve: string) => readonly string[];

const described = ["kid", "alg", "use"];

/** The public part of a key, or the reason why proxies cannot use it. */
export function judgeKey(key: unknown, index: number): UsableKey | string {
  if (!isMapping(key) || typeof key["kty"] !== "string") return `key ${index} has no type`;
  const { kty, kid, alg, use } = key;
  const name = typeof kid === "string" ? `key ${kid}` : `key ${index}`;
  // A symmetric key that anybody can fetch would let anybody sign tokens.
  if (kty === "oct") return `${name} is symmetric, and everybody could sign with it`;
  const type = ownValue(keyTypes, kty);
  if (type === undefined) return `${name} has the unknown type ${kty}`;
  if (use !== undefined && use !== "sig") return `${name} is not for signatures`;
  const algorithms = type.algorithms(typeof key["crv"] === "string" ? key["crv"] : "");
  if (algorithms.length === 0) return `${name} has an unknown curve`;
  if (alg !== undefined && !(typeof alg === "string" && algorithms.includes(alg)))
    return `${name} has an unknown algorithm`;
  const publicKey = pick(key, ["kty", ...described, ...type.members]);
  const problem = problemOf(publicKey);
  if (problem !== undefined) return `${name} is no valid key: ${problem}`;
  const facts: KeyFacts = { kid: typeof kid === "string" ? kid : undefined, kty, alg };
  return { publicKey, facts };
}

function pick(key: Readonly<Record<string, unknown>>, members: readonly string[]): JsonWebKey {
  return Object.fromEntries(members.flatMap((name) => (typeof key[name] === "string" ? [[name, key[name]]] : [])));
}

function problemOf(key: JsonWebKey): string | undefined {
  try {
    createPublicKey({ key, format: "jwk" });
    return undefined;
  } catch (thrown) {
    return errorFrom(thrown).message;
  }
}

/**
 * Whether Envoy accepts the text as a key set: at least one key is usable. Envoy refuses a listener with another text.
 * A symmetric key counts: users may share one with the issuer.
 */
export function hasUsableKey(text: string): boolean {
  const set = parseJson(text);
  const keys: readonly unknown[] = isMapping(set) && Array.isArray(set["keys"]) ? set["keys"] : [];
  return keys.some((key, index) => isSymmetric(key) || typeof judgeKey(key, index) !== "string");
}

const base64Url = /^[\w-]+={0,2}$/u;

function isSymmetric(key: unknown): boolean {
  return isMapping(key) && key["kty"] === "oct" && typeof key["k"] === "string" && base64Url.test(key["k"]);
}
