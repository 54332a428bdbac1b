import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { JwtAuthenticationSchema } from "#gen/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js";
import { configId } from "../../../config/config.ts";
import type { SimulatedRequest } from "../../simulated-request.ts";
import { receivedConnection } from "../received-request.ts";
import { jwtGuard } from "./jwt-guard.ts";
import type { SignatureState } from "./token.ts";

const now = 1_000_000;

function token(claims: JsonObject): string {
  return `${part({ alg: "ES256" })}.${part(claims)}.c2ln`;
}

function part(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function bearer(claims: JsonObject): Partial<SimulatedRequest> {
  return { headers: { authorization: `Bearer ${token(claims)}` } };
}

const keys = { localJwks: { inlineString: "{}" } };
const one: JsonObject = { issuer: "one", audiences: ["shop"], payloadInMetadata: "payload", forward: true, ...keys };
const two: JsonObject = {
  issuer: "two",
  fromHeaders: [{ name: "x-token" }],
  payloadInMetadata: "payload",
  forward: true,
  ...keys,
};
const optional = (...names: readonly string[]): JsonObject => {
  const each = names.map((providerName) => ({ providerName }));
  const all = each.map((provider) => ({ requiresAny: { requirements: [provider, { allowMissing: {} }] } }));
  const rest = names.length === 1 ? { allowMissing: {} } : { requiresAll: { requirements: all } };
  return { requiresAny: { requirements: [...each, rest] } };
};

function ownerOfPart(name: string) {
  return configId("RequestAuthentication", "shop", `of-${name}`);
}

function guard(request: Partial<SimulatedRequest>, change: JsonObject = {}, signature: SignatureState = "valid") {
  const config = {
    providers: { one, two },
    rules: [{ match: { prefix: "/" }, requires: optional("one", "two") }],
    bypassCorsPreflight: true,
    ...change,
  };
  const packed = anyPack(JwtAuthenticationSchema, fromJson(JwtAuthenticationSchema, config));
  const whole = { port: 80, host: "shop", path: "/", method: "GET", headers: {}, ...request };
  const judged = { ...receivedConnection(whole, { address: undefined }), layer: "request" } as const;
  const place = { name: "jwt", owners: ["RequestAuthentication/shop/tokens" as const], nowSeconds: now };
  const known = { ...place, owners: place.owners as never, ownerOfPart };
  const result = jwtGuard(packed, judged, { ...known, verifies: () => signature });
  const { outcome } = result ?? {};
  const status = outcome !== undefined && "status" in outcome ? outcome.status : 200;
  return { status, why: result?.step.why, result };
}

const good = { iss: "one", aud: "shop", exp: now + 1, sub: "me" };

test.each<[string, Partial<SimulatedRequest>, readonly string[]]>([
  ["of the provider that rejects it", bearer({ ...good, exp: 1 }), ["of-one"]],
  ["of all providers if none is for its issuer", bearer({ ...good, iss: "other" }), ["of-one", "of-two"]],
  ["of the provider whose place it is in", { headers: { "x-token": token({ iss: "two", exp: 1 }) } }, ["of-two"]],
])("a rejected token names the policy %s", (_, request, policies) => {
  const { result } = guard(request);
  expect(result?.deciders).toEqual(policies.map((name) => ({ object: `RequestAuthentication/shop/${name}` })));
});

describe("a filter of tokens", () => {
  test.each<[string, Partial<SimulatedRequest>, number, string | RegExp]>([
    ["lets requests without a token pass", {}, 200, "the request has no token, and none is required"],
    ["accepts a good token", bearer(good), 200, "the token of one is valid"],
    ["accepts an expired token within a minute", bearer({ ...good, exp: now - 59 }), 200, /valid/u],
    ["rejects an expired token", bearer({ ...good, exp: now - 61 }), 401, "Jwt is expired"],
    ["rejects a token that is not yet valid", bearer({ ...good, nbf: now + 61 }), 401, "Jwt not yet valid"],
    ["rejects another audience with 403", bearer({ ...good, aud: ["bank"] }), 403, "Audiences in Jwt are not allowed"],
    ["ignores the scheme of an audience", bearer({ ...good, aud: "https://shop/" }), 200, /valid/u],
    ["rejects an unknown issuer", bearer({ ...good, iss: "three" }), 401, "Jwt issuer is not configured"],
    ["rejects what is no token", { headers: { authorization: "Bearer abc" } }, 401, /not in the form/u],
    ["does not look for a token of another scheme", { headers: { authorization: "Basic abc" } }, 200, /no token/u],
    ["finds a token in the query", { path: `/?access_token=${token(good)}` }, 200, "the token of one is valid"],
    [
      "finds a token in another header",
      { headers: { "x-token": token({ iss: "two" }) } },
      200,
      "the token of two is valid",
    ],
    ["rejects a token at the place of another issuer", bearer({ iss: "two" }), 401, "Jwt issuer is not configured"],
    [
      "ignores questions of browsers",
      {
        method: "OPTIONS",
        headers: { origin: "a", "access-control-request-method": "GET", authorization: "Bearer x" },
      },
      200,
      /preflight/u,
    ],
  ])("%s", (_, request, status, why) => {
    const found = guard(request);
    expect([found.status, found.why]).toEqual([status, expect.stringMatching(why)]);
  });

  test.each<[SignatureState, string]>([
    ["invalid", "Jwt verification fails"],
    ["no key", "Jwks doesn't have key to match kid or alg from Jwt"],
    ["no valid keys", "Jwks doesn't have any valid public key"],
  ])("rejects a token whose signature has the state %s", (state, why) => {
    expect(guard(bearer(good), {}, state)).toMatchObject({ status: 401, why });
  });

  test("rejects missing tokens where one is required", () => {
    const rules = [{ match: { prefix: "/" }, requires: { providerName: "one" } }];
    const { status, why, result } = guard({}, { rules });
    expect([status, why]).toEqual([401, "Jwt is missing"]);
    expect(result?.deciders).toEqual([{ object: "RequestAuthentication/shop/of-one" }]);
  });

  test("hands claims to filters after it, lists in one text as lists", () => {
    const normalizePayloadInMetadata = { spaceDelimitedClaims: ["scope"] };
    const providers = { one: { ...one, normalizePayloadInMetadata }, two };
    const { result } = guard(bearer({ ...good, scope: "a b" }), { providers });
    expect(result?.metadata?.["envoy.filters.http.jwt_authn"]).toMatchObject({
      payload: { sub: "me", scope: ["a", "b"] },
    });
  });

  test("writes claims into headers, and takes the token away", () => {
    const claimToHeaders = [{ headerName: "X-Sub", claimName: "sub" }];
    const { result } = guard(bearer(good), { providers: { one: { ...one, forward: false, claimToHeaders }, two } });
    expect(result?.headers).toEqual({ "x-sub": "me", authorization: undefined });
  });
});
