import { describe, expect, test } from "vitest";
import type { RequestAuthentication } from "#gen/istio/security/v1beta1/request_authentication_pb.js";
import type { Config } from "../../../config/config.ts";
import { canonicalKey } from "../../../lib/canonical-key.ts";
import { configIn } from "../../../testing/config/configs-in.ts";
import { requestAuthenticationOf } from "./request-authentication.ts";

const none = () => undefined;

function policyWith(rule: object, keySetOf: Parameters<typeof requestAuthenticationOf>[1] = none) {
  const object = {
    apiVersion: "security.istio.io/v1",
    kind: "RequestAuthentication",
    metadata: { namespace: "shop", name: "tokens" },
    spec: { jwtRules: [rule] },
  };
  // The text above has an object of this kind.
  return requestAuthenticationOf(configIn(JSON.stringify(object)) as Config<RequestAuthentication>, keySetOf);
}

describe("a RequestAuthentication", () => {
  test("has the rules of its object", () => {
    const { rules } = policyWith({
      issuer: "one",
      audiences: ["shop"],
      jwks: '{"keys":[]}',
      fromHeaders: [{ name: "x-token", prefix: "Tok " }],
      fromParams: ["token"],
      fromCookies: ["auth"],
      forwardOriginalToken: true,
      outputPayloadToHeader: "x-payload",
      outputClaimToHeaders: [{ header: "x-sub", claim: "sub" }],
      spaceDelimitedClaims: ["perms"],
      timeout: "3s",
      presence: "REQUIRED",
    });
    expect(rules).toEqual([
      {
        issuer: "one",
        audiences: ["shop"],
        place: undefined,
        timeoutMs: 3000,
        keySet: '{"keys":[]}',
        hasUsableKey: false,
        required: true,
        headers: [{ name: "x-token", prefix: "Tok " }],
        parameters: ["token"],
        cookies: ["auth"],
        forwardsToken: true,
        payloadHeader: "x-payload",
        claimHeaders: [{ header: "x-sub", claim: "sub" }],
        spaceDelimitedClaims: ["perms"],
      },
    ]);
  });

  test("has the key set of its URI, or of its issuer, once it is fetched", () => {
    const uri = { issuer: "one", jwksUri: "https://one.example/keys" };
    const discovery = { issuer: "https://one.example" };
    const byUri = { type: "uri", uri: "https://one.example/keys" } as const;
    const byIssuer = { type: "discovery", issuer: "https://one.example" } as const;
    const texts = new Map([byUri, byIssuer].map((place) => [canonicalKey(place), { text: place.type }]));
    expect(policyWith(uri).rules).toMatchObject([{ place: byUri, keySet: undefined }]);
    expect(policyWith(discovery).rules).toMatchObject([{ place: byIssuer, keySet: undefined }]);
    expect(policyWith(uri, (key) => texts.get(key)).rules).toMatchObject([{ keySet: "uri" }]);
    expect(policyWith(discovery, (key) => texts.get(key)).rules).toMatchObject([{ keySet: "discovery" }]);
  });

  test("makes a list of a single inline key", () => {
    const key = { kty: "oct", k: "c2VjcmV0" };
    expect(policyWith({ issuer: "one", jwks: JSON.stringify(key) }).rules).toMatchObject([
      { keySet: JSON.stringify({ keys: [key] }) },
    ]);
  });
});
