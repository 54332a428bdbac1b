import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { exportJWK } from "jose";
import { parseSpiffeId, trustDomainOf } from "../../../src/lib/spiffe-id.ts";
import { readKeySet } from "../../../src/transport/credentials/key-set.ts";
import { tokenAuthenticator } from "../../../src/transport/credentials/token-authenticator.ts";
import { framed, messagesIn } from "../frames.ts";
import { checkReason, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const trustDomains = ["cluster.local", "old.local"];
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const publicKey = await exportJWK(createPublicKey(privateKey));
const authenticator = tokenAuthenticator({
  issuer: "https://issuer.example",
  audiences: ["istio-ca"],
  keyFor: readKeySet({ keys: [{ ...publicKey, kid: "k", alg: "ES256", use: "sig" }] }),
  trustDomains: () => trustDomains,
});

const header = '{"alg":"ES256","kid":"k","typ":"JWT"}';
const claims = { iss: "https://issuer.example", aud: ["istio-ca"], exp: 4_102_444_800 };

/**
 * Bearer tokens, as header, claims and signature. Without a signature in the input, the key of the issuer signs. Only
 * such a token identifies a client: as one service account, or with a SPIFFE id of the mesh.
 */
export const target: FuzzTarget = {
  name: "jwt",
  mode: "async",
  seeds: () => [
    token(
      header,
      JSON.stringify({ ...claims, sub: "system:serviceaccount:namespace-with-a-long-name:account-with-a-long-name" }),
    ),
    token(header, JSON.stringify({ ...claims, sub: "spiffe://old.local/ns/shop/sa/a", nbf: 1, iat: 1 })),
    token('{"alg":"none"}', JSON.stringify(claims), "a"),
    token(header, JSON.stringify({ ...claims, aud: "x", exp: "1" }), "signature"),
  ],
  words: [
    ...inheritedNames,
    '"exp":',
    '"nbf":',
    '"sub":"',
    "system:serviceaccount:",
    "spiffe://",
    '"crit":["b64"],"b64":false',
  ],
  planted: {
    file: "src/transport/credentials/token-authenticator.ts",
    before: "  const account = serviceAccountId(sub, trustDomain);",
    text: "sub",
  },
  check: async (input) => {
    const [head = Buffer.alloc(0), body = Buffer.alloc(0), forged] = messagesIn(input);
    const signed = `${head.toString("base64url")}.${body.toString("base64url")}`;
    const isForged = forged !== undefined && forged.length > 0;
    const signature = isForged
      ? forged
      : sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
    const authorization = `Bearer ${signed}.${signature.toString("base64url")}`;
    const result = await authenticator.authenticate({ certificate: { type: "none" }, headers: { authorization } });
    if (result.type !== "identified") return checkReason(result.reason);
    promise(!isForged, "a token needs the signature of its issuer");
    const { sub = "" } = JSON.parse(body.toString("utf8")) as { readonly sub?: string };
    const account = /^system:serviceaccount:(?<namespace>.*?):(?<serviceAccount>.*)$/su.exec(sub)?.groups;
    for (const identity of result.identities) {
      promise(trustDomains.includes(trustDomainOf(identity) ?? ""), () => `${identity} is an id of the mesh`);
      const { namespace, serviceAccount } = parseSpiffeId(identity) ?? {};
      const isExact = namespace === account?.["namespace"] && serviceAccount === account?.["serviceAccount"];
      promise(account === undefined || isExact, () => `${identity} is the account ${sub}`);
    }
  },
};

function token(...parts: readonly string[]): Uint8Array {
  return framed(parts.map((part) => Buffer.from(part)));
}
