import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { noCertificate } from "./client-certificate.ts";
import { readKeySet } from "./key-set.ts";
import { tokenAuthenticator } from "./token-authenticator.ts";

const issuer = "https://issuer.example";
const reviews = "system:serviceaccount:shop:reviews";
const now = Math.floor(Date.now() / 1000);
const claims = { iss: issuer, aud: "istio-ca", sub: reviews, exp: now + 600 };
const { aud: _aud, ...forNobody } = claims;
const { exp: _exp, ...forEver } = claims;

let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let otherKeys: typeof keys;
let authenticator: ReturnType<typeof tokenAuthenticator>;

beforeAll(async () => {
  [keys, otherKeys] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  const secret = { kty: "oct", kid: "shared", alg: "HS256", k: Buffer.from("secret").toString("base64url") };
  authenticator = tokenAuthenticator({
    issuer,
    audiences: ["istio-ca", "binnacle"],
    keyFor: readKeySet({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one" }, secret] }),
    trustDomains: () => ["cluster.local", "old.example"],
  });
});

function signed(payload: JWTPayload, { key = keys.privateKey, kid = "one" } = {}): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid }).sign(key);
}

async function findingFor(token: string | undefined, scheme = "Bearer") {
  const headers = token === undefined ? {} : { authorization: `${scheme} ${token}` };
  return await authenticator.authenticate({ certificate: noCertificate, headers });
}

describe("a bearer token", () => {
  test.each([
    ["a Kubernetes service account", claims, "spiffe://cluster.local/ns/shop/sa/reviews"],
    [
      "a SPIFFE id of the mesh",
      { ...claims, sub: "spiffe://cluster.local/ns/a/sa/b" },
      "spiffe://cluster.local/ns/a/sa/b",
    ],
    ["a SPIFFE id of an alias", { ...claims, sub: "spiffe://old.example/ns/a/sa/b" }, "spiffe://old.example/ns/a/sa/b"],
    ["one of several audiences", { ...claims, aud: ["x", "binnacle"] }, "spiffe://cluster.local/ns/shop/sa/reviews"],
    ["clocks that differ a little", { ...claims, nbf: now + 10 }, "spiffe://cluster.local/ns/shop/sa/reviews"],
  ])("identifies its client, with %s", async (_, payload, identity) => {
    expect(await findingFor(await signed(payload))).toEqual({ type: "identified", identities: [identity] });
  });

  test("is found with any case of its scheme", async () => {
    expect(await findingFor(await signed(claims), "bearer")).toMatchObject({ type: "identified" });
  });

  test.each([
    ["for somebody else", { ...claims, aud: "elsewhere" }, 'unexpected "aud" claim value'],
    ["for nobody", forNobody, 'missing required "aud" claim'],
    ["of another issuer", { ...claims, iss: "https://evil.example" }, 'unexpected "iss" claim value'],
    ["that has expired", { ...claims, exp: now - 60 }, "it has expired"],
    ["that never expires", forEver, 'missing required "exp" claim'],
    ["that is not valid yet", { ...claims, nbf: now + 300 }, '"nbf" claim timestamp check failed'],
    [
      "of a person",
      { ...claims, sub: "jane" },
      'its subject "jane" is no service account, and no SPIFFE id of the mesh',
    ],
    ["of half an account", { ...claims, sub: "system:serviceaccount:shop:" }, "is no service account"],
    ["of an account with a part too many", { ...claims, sub: `${reviews}:x` }, "is no service account"],
    ["of another mesh", { ...claims, sub: "spiffe://evil.example/ns/a/sa/b" }, "no SPIFFE id of the mesh"],
  ])("%s does not identify the client", async (_, payload, reason) => {
    const found = await findingFor(await signed(payload));
    expect(found).toEqual({ type: "unknown", reason: expect.stringContaining(reason) });
  });

  test("with a key that the issuer does not have does not identify the client", async () => {
    const token = await signed(claims, { kid: "two" });
    expect(await findingFor(token)).toEqual({ type: "unknown", reason: "its key is not among the issuer's" });
  });

  test("with a signature of another key does not identify the client", async () => {
    const forged = await signed(claims, { key: otherKeys.privateKey });
    expect(await findingFor(forged)).toEqual({ type: "unknown", reason: "signature verification failed" });
  });

  test("without a signature, or with a shared-secret signature, does not identify the client", async () => {
    expect(await findingFor(new UnsecuredJWT(claims).encode())).toMatchObject({ type: "unknown" });
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: "shared" })
      .sign(Buffer.from("secret"));
    expect(await findingFor(shared)).toMatchObject({ type: "unknown" });
  });

  test("that is no JWT does not identify the client", async () => {
    expect(await findingFor(undefined)).toEqual({ type: "unknown", reason: "none was sent" });
    expect(await findingFor("dXNlcjpwYXNz", "Basic")).toEqual({ type: "unknown", reason: "none was sent" });
    expect(await findingFor("not.a.token")).toMatchObject({ type: "unknown" });
  });
});
