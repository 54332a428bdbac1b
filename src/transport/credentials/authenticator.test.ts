import { describe, expect, test } from "vitest";
import { type Authenticator, authenticateBy, type Finding } from "./authenticator.ts";
import { noCertificate } from "./client-certificate.ts";

const nobody = { certificate: noCertificate, headers: {} };
const reviews = { type: "identified", identities: ["spiffe://cluster.local/ns/shop/sa/reviews"] } as const;

function saying(name: string, finding: Finding): Authenticator {
  return { name, authenticate: () => finding };
}

function mustNotBeAsked(): Authenticator {
  return saying("late", { type: "identified", identities: ["asked too far"] });
}

describe("authenticators in a row", () => {
  test("the first that knows the client decides", async () => {
    const authenticate = authenticateBy([
      saying("certificate", { type: "unknown", reason: "none was shown" }),
      saying("token", reviews),
      mustNotBeAsked(),
    ]);
    expect(await authenticate(nobody)).toEqual(reviews);
  });

  test("whom nobody knows is refused, with everybody's reason", async () => {
    const authenticate = authenticateBy([
      saying("certificate", { type: "unknown", reason: "none was shown" }),
      saying("token", { type: "unknown", reason: "it has expired" }),
    ]);
    expect(await authenticate(nobody)).toEqual({
      type: "refused",
      reasons: ["certificate: none was shown", "token: it has expired"],
    });
  });

  test("what one refuses no other is asked about", async () => {
    const authenticate = authenticateBy([
      saying("certificate", { type: "refused", reason: "CERT_HAS_EXPIRED" }),
      mustNotBeAsked(),
    ]);
    expect(await authenticate(nobody)).toEqual({ type: "refused", reasons: ["certificate: CERT_HAS_EXPIRED"] });
  });

  test("a bug in one lets nobody in and keeps nobody from the next", async () => {
    const broken = { name: "broken", authenticate: () => Promise.reject(new Error("bug")) };
    expect(await authenticateBy([broken])(nobody)).toEqual({
      type: "refused",
      reasons: ["broken: failed: bug"],
    });
    expect(await authenticateBy([broken, saying("token", reviews)])(nobody)).toEqual(reviews);
  });

  test("without any, nobody is let in", async () => {
    expect(await authenticateBy([])(nobody)).toEqual({ type: "refused", reasons: [] });
  });
});
