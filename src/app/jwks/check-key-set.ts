import { createPublicKey, type JsonWebKey } from "node:crypto";
import { overLimit } from "../../lib/bounded/limit.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";

/** A fetched key set that proxies can use. */
export interface CheckedKeySet {
  /** The set as JSON, with the public parts of its usable keys. */
  readonly text: string;
  readonly keys: readonly KeyFacts[];
  /** Why some keys are left out: one unusable key would make Envoy refuse the whole set. */
  readonly leftOut: readonly string[];
}

/** The facts of a key that identify it, without its numbers. */
export interface KeyFacts {
  readonly kid: string | undefined;
  readonly kty: string;
  readonly alg: string | undefined;
}

/** Per type: the members with the public key, and the algorithms of signatures by curve. */
const keyTypes: Readonly<Record<string, { readonly members: readonly string[]; readonly algorithms: AlgorithmsOf }>> = {
  RSA: { members: ["n", "e"], algorithms: () => ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] },
  EC: {
    members: ["crv", "x", "y"],
    algorithms: (curve) => ({ "P-256": ["ES256"], "P-384": ["ES384"], "P-521": ["ES512"] })[curve] ?? [],
  },
  OKP: { members: ["crv", "x"], algorithms: (curve) => (curve === "Ed25519" ? ["EdDSA"] : []) },
};

type AlgorithmsOf = (curve: string) => readonly string[];

const described = ["kid", "alg", "use"];

/**
 * Reads the answer of an issuer. An empty set is valid: the issuer has withdrawn its keys. Throws `peer-protocol` if the
 * answer is no key set.
 */
export function checkKeySet(json: unknown, what: string, maxKeys: number): CheckedKeySet {
  const listed = isMapping(json) ? json["keys"] : undefined;
  if (!Array.isArray(listed))
    throw new MeshError("peer-protocol", `${what} is not a JSON Web Key Set: it has no list of keys`);
  if (listed.length > maxKeys) throw overLimit(what, maxKeys, "keys", listed.length);
  const judged = listed.map((key: unknown, index) => judge(key, index));
  const usable = judged.flatMap((each) => (typeof each === "string" ? [] : [each]));
  return {
    text: JSON.stringify({ keys: usable.map(({ publicKey }) => publicKey) }),
    keys: usable.map(({ facts }) => facts),
    leftOut: judged.filter((each) => typeof each === "string"),
  };
}

/** The public part of a key, or the reason why proxies cannot use it. */
function judge(key: unknown, index: number) {
  if (!isMapping(key) || typeof key["kty"] !== "string") return `key ${index} has no type`;
  const { kty, kid, alg, use } = key;
  const name = typeof kid === "string" ? `key ${kid}` : `key ${index}`;
  // A symmetric key that anybody can fetch would let anybody sign tokens.
  if (kty === "oct") return `${name} is symmetric, and everybody could sign with it`;
  const type = keyTypes[kty];
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
