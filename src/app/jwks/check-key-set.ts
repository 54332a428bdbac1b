import { type KeyFacts, judgeKey } from "../../config/grammar/json-web-key.ts";
import { overLimit } from "../../lib/bounded/limit.ts";
import { MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";

/** A fetched key set that proxies can use. */
export interface CheckedKeySet {
  /** The set as JSON, with the public parts of its usable keys. */
  readonly text: string;
  readonly keys: readonly KeyFacts[];
  /** Why some keys are left out: Envoy refuses a set without a usable key. */
  readonly leftOut: readonly string[];
}

/**
 * Reads the answer of an issuer. An empty set is valid: the issuer has withdrawn its keys. Throws `peer-protocol` if the
 * answer is no key set.
 */
export function checkKeySet(json: unknown, what: string, maxKeys: number): CheckedKeySet {
  const listed = isMapping(json) ? json["keys"] : undefined;
  if (!Array.isArray(listed))
    throw new MeshError("peer-protocol", `${what} is not a JSON Web Key Set: it has no list of keys`);
  if (listed.length > maxKeys) throw overLimit(what, maxKeys, "keys", listed.length);
  const judged = listed.map((key: unknown, index) => judgeKey(key, index));
  const usable = judged.flatMap((each) => (typeof each === "string" ? [] : [each]));
  return {
    text: JSON.stringify({ keys: usable.map(({ publicKey }) => publicKey) }),
    keys: usable.map(({ facts }) => facts),
    leftOut: judged.filter((each) => typeof each === "string"),
  };
}
