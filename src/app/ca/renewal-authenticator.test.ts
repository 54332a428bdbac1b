import type { X509Certificate } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { Authority } from "../../ca/roots.ts";
import { madeIntermediate, madeRoot } from "../../testing/ca/made-authority.ts";
import { hourMs, leafOf } from "../../testing/ca/signing.ts";
import type { ClientCertificate } from "../../transport/credentials/authenticator.ts";
import { renewalAuthenticator } from "./renewal-authenticator.ts";

const identity = "spiffe://cluster.local/ns/shop/sa/reviews";
const now = Date.now();
let own: Authority;
let foreign: Authority;
let intermediate: Authority;

beforeAll(async () => {
  [own, foreign] = await Promise.all([madeRoot("root"), madeRoot("root")]);
  intermediate = await madeIntermediate("between", own);
});

/** The answer to a caller with this certificate, at a time. */
function answerTo(certificate: ClientCertificate, at = now) {
  const rules = renewalAuthenticator({
    roots: () => [own.root],
    chain: () => [intermediate.certificate],
    trustDomains: () => ["cluster.local", "old.local"],
    timeOfDay: () => at,
  });
  return rules.authenticate({ certificate, headers: {} });
}

function shown(certificate: X509Certificate, uris = [identity]): ClientCertificate {
  return { type: "verified", uris, certificate };
}

test("a caller with a certificate of our authority, or of one below it, has the identity of the certificate", async () => {
  const identified = { type: "identified", identities: [identity] };
  expect(answerTo(shown(await leafOf(own)))).toEqual(identified);
  expect(answerTo(shown(await leafOf(intermediate)))).toEqual(identified);
});

test("an alias of the trust domain counts", async () => {
  const old = identity.replace("cluster", "old");
  expect(answerTo(shown(await leafOf(own, { uris: [old] }), [old]))).toEqual({ type: "identified", identities: [old] });
});

test("a certificate is good until the second in which it expires, and not after it", async () => {
  const leaf = await leafOf(own, { now, ttlMs: hourMs });
  const expires = leaf.validToDate.getTime();
  expect(answerTo(shown(leaf), expires)).toMatchObject({ type: "identified" });
  expect(answerTo(shown(leaf), expires + 1)).toEqual({ type: "refused", reason: "it has expired" });
});

test("a caller without a certificate may have a token", () => {
  expect(answerTo({ type: "none" })).toMatchObject({ type: "unknown" });
});

test.each([
  ["TLS refused", async (): Promise<ClientCertificate> => ({ type: "invalid", reason: "planted" }), "planted"],
  ["nobody can read", async (): Promise<ClientCertificate> => ({ type: "verified", uris: [identity] }), "be read"],
  ["another authority signed", async () => shown(await leafOf(foreign)), "another authority has signed it"],
  ["names two identities", async () => shown(await leafOf(own), [identity, `${identity}2`]), "several identities"],
  ["names none", async () => shown(await leafOf(own), []), "is not an identity of this mesh"],
  [
    "is of another trust domain",
    async () => shown(await leafOf(own), ["spiffe://elsewhere/ns/shop/sa/reviews"]),
    "is not an identity of this mesh",
  ],
])("a certificate that %s is refused, whatever else the caller shows", async (_what, certificate, reason) => {
  const answer = answerTo(await certificate());
  expect(answer).toMatchObject({ type: "refused", reason: expect.stringContaining(reason) });
});
