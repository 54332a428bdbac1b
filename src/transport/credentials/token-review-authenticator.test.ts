import { describe, expect, test } from "vitest";
import { authenticateBy } from "./authenticator.ts";
import { noCertificate } from "./client-certificate.ts";
import { type TokenReviewStatus, tokenReviewAuthenticator } from "./token-review-authenticator.ts";

const username = "system:serviceaccount:shop:reviews";
const good: TokenReviewStatus = { authenticated: true, audiences: ["istio-ca"], user: { username } };

function shown(status: TokenReviewStatus | Error, headers = { authorization: "Bearer abc" }) {
  const asked: (readonly [string, readonly string[]])[] = [];
  const authenticator = tokenReviewAuthenticator({
    audiences: ["istio-ca", "binnacle"],
    review: async (token, audiences) => {
      asked.push([token, audiences]);
      if (status instanceof Error) throw status;
      return status;
    },
    trustDomains: () => ["mesh.example", "old.example"],
  });
  return { asked, result: authenticator.authenticate({ certificate: noCertificate, headers }) };
}

describe("a token that the API server reviews", () => {
  test("identifies a service account of the mesh's own trust domain", async () => {
    const { asked, result } = shown(good);
    expect(await result).toEqual({
      type: "identified",
      identities: ["spiffe://mesh.example/ns/shop/sa/reviews"],
    });
    expect(asked).toEqual([["abc", ["istio-ca", "binnacle"]]]);
  });

  test.each<[string, TokenReviewStatus, string]>([
    ["it is not known", { authenticated: false }, "the API server does not know it"],
    ["nothing is said", {}, "the API server does not know it"],
    [
      "there is an error inside a successful answer",
      { ...good, error: "[invalid bearer token, square/go-jose: error in cryptographic primitive]" },
      "[invalid bearer token, square/go-jose: error in cryptographic primitive]",
    ],
    [
      "it is meant for others",
      { ...good, audiences: ["https://kubernetes.default.svc"] },
      "it is not meant for istio-ca or binnacle",
    ],
    [
      "the server knows nothing of audiences",
      { authenticated: true, user: { username } },
      "it is not meant for istio-ca or binnacle",
    ],
    ["a person shows it", { ...good, user: { username: "admin" } }, '"admin" is no service account'],
    [
      "the account has no namespace",
      { ...good, user: { username: "system:serviceaccount:reviews" } },
      '"system:serviceaccount:reviews" is no service account',
    ],
    ["nobody is named", { authenticated: true, audiences: ["istio-ca"] }, '"" is no service account'],
  ])("identifies no client where %s", async (_, status, reason) => {
    expect(await shown(status).result).toEqual({ type: "unknown", reason });
  });

  test("is not reviewed when it is missing", async () => {
    const { asked, result } = shown(good, { authorization: "Basic abc" });
    expect(await result).toEqual({ type: "unknown", reason: "no token was sent" });
    expect(asked).toEqual([]);
  });

  test("is not accepted while the API server is unreachable, and the reason is reported", async () => {
    const { result } = shown(new Error("connect ECONNREFUSED 127.0.0.1:6443"));
    const authenticate = authenticateBy([{ name: "token review", authenticate: () => result }]);
    expect(await authenticate({ certificate: noCertificate, headers: {} })).toEqual({
      type: "refused",
      reasons: ["token review: the API server could not be asked: connect ECONNREFUSED 127.0.0.1:6443"],
    });
  });
});
