import { describe, expect, test } from "vitest";
import type { ClientCertificate } from "./authenticator.ts";
import { certificateAuthenticator } from "./client-certificate.ts";

const reviews = "spiffe://cluster.local/ns/shop/sa/reviews";
const authenticator = certificateAuthenticator(() => ["cluster.local", "old.example"]);

function findingFor(certificate: ClientCertificate) {
  return authenticator.authenticate({ certificate, headers: {} });
}

describe("a client certificate", () => {
  test("identifies its client by all its URIs", () => {
    const uris = [reviews, "spiffe://cluster.local/ns/shop/sa/ratings"];
    expect(findingFor({ type: "verified", uris })).toEqual({ type: "identified", identities: uris });
  });

  test("of a trust domain alias is as good as one of the mesh's own trust domain", () => {
    const uris = ["spiffe://old.example/ns/shop/sa/reviews"];
    expect(findingFor({ type: "verified", uris })).toEqual({ type: "identified", identities: uris });
  });

  test("that is missing leaves the decision to other authenticators", () => {
    expect(findingFor({ type: "none" })).toMatchObject({ type: "unknown" });
  });

  test.each([
    ["that does not verify", { type: "invalid", reason: "CERT_HAS_EXPIRED" }, "CERT_HAS_EXPIRED"],
    ["that names no URI", { type: "verified", uris: [] }, "it names no URI"],
    [
      "of another trust domain",
      { type: "verified", uris: [reviews, "spiffe://evil.example/ns/shop/sa/reviews"] },
      "spiffe://evil.example/ns/shop/sa/reviews is not of trust domain cluster.local or old.example",
    ],
    [
      "whose URI is no SPIFFE id",
      { type: "verified", uris: ["https://cluster.local/"] },
      "https://cluster.local/ is not of trust domain cluster.local or old.example",
    ],
  ] as const)("%s is refused", (_, certificate, reason) => {
    expect(findingFor(certificate)).toEqual({ type: "refused", reason });
  });
});
