import { errors } from "jose";
import { checkKeySet } from "../../../src/app/jwks/check-key-set.ts";
import { hasUsableKey } from "../../../src/config/grammar/json-web-key.ts";
import { readJson } from "../../../src/lib/bounded/read-bounded.ts";
import { readKeySet } from "../../../src/transport/credentials/key-set.ts";
import { checkReason, orRefused, orRefusedLater, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const limit = { what: "the answer", maxBytes: 100_000, maxValues: 10_000 };
const most = 20;

/**
 * Key sets of issuers: for proxies, for our own authentication, and in the objects of users. A checked set has public
 * keys alone, and checking it again changes nothing.
 */
export const target: FuzzTarget = {
  name: "jwks",
  mode: "async",
  words: [
    ...inheritedNames,
    '"kty":"',
    '"RSA"',
    '"EC"',
    '"OKP"',
    '"oct"',
    '"crv":"',
    '"P-256"',
    '"Ed25519"',
    '"alg":"',
    '"d":"',
  ],
  planted: {
    file: "src/config/grammar/json-web-key.ts",
    before: "  // A symmetric key that anybody can fetch",
    text: "JSON.stringify(key)",
  },
  check: async (input) => {
    hasUsableKey(input.toString("utf8"));
    const json = await orRefusedLater(() => readJson(chunksOf(input), limit));
    orRefused(() => readKeySet(json, most), errors.JOSEError);
    const checked = orRefused(() => checkKeySet(json, "the answer", most));
    if (checked === undefined) return;
    checked.leftOut.forEach(checkReason);
    const again = checkKeySet(JSON.parse(checked.text), "the checked set", most);
    promise(again.text === checked.text && again.leftOut.length === 0, "a checked set has only usable keys");
    promise(!/"(?:d|p|q|dp|dq|qi|k)":/u.test(checked.text), "a checked set has only public keys");
  },
};

async function* chunksOf(input: Buffer): AsyncGenerator<Buffer> {
  yield input;
}
