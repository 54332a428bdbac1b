import { describe, expect, test } from "vitest";
import { type Authenticator, authenticateBy, type AuthenticatorResult } from "./authenticator.ts";
import { noCertificate } from "./client-certificate.ts";

const nobody = { certificate: noCertificate, headers: {} };
const reviews = { type: "identified", identities: ["spiffe://cluster.local/ns/shop/sa/reviews"] } as const;

function saying(name: string, result: AuthenticatorResult): Authenticator {
  return { name, authenticate: () => result };
}

function mustNotBeAsked(): Authenticator {
  return saying("late", { type: "identified", identities: ["asked too far"] });
}

describe("a chain of authenticators", () => {
  test("the first authenticator that identifies the client decides", async () => {
    const authenticate = authenticateBy([
      saying("certificate", { type: "unknown", reason: "none was shown" }),
      saying("token", reviews),
      mustNotBeAsked(),
    ]);
    expect(await authenticate(nobody)).toEqual(reviews);
  });

  test("an unidentified client is refused, with the reasons of all authenticators", async () => {
    const authenticate = authenticateBy([
      saying("certificate", { type: "unknown", reason: "none was shown" }),
      saying("token", { type: "unknown", reason: "it has expired" }),
    ]);
    expect(await authenticate(nobody)).toEqual({
      type: "refused",
      reasons: ["certificate: none was shown", "token: it has expired"],
    });
  });

  test("a refusal by one authenticator skips the others", async () => {
    const authenticate = authenticateBy([
      saying("certificate", { type: "refused", reason: "CERT_HAS_EXPIRED" }),
      mustNotBeAsked(),
    ]);
    expect(await authenticate(nobody)).toEqual({ type: "refused", reasons: ["certificate: CERT_HAS_EXPIRED"] });
  });

  test("a bug in one authenticator admits no client, and the next authenticator still runs", async () => {
    const broken = { name: "broken", authenticate: () => Promise.reject(new Error("bug")) };
    expect(await authenticateBy([broken])(nobody)).toEqual({
      type: "refused",
      reasons: ["broken: failed: bug"],
    });
    expect(await authenticateBy([broken, saying("token", reviews)])(nobody)).toEqual(reviews);
  });

  test("without authenticators every client is refused", async () => {
    expect(await authenticateBy([])(nobody)).toEqual({ type: "refused", reasons: [] });
  });
});
