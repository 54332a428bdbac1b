import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@bufbuild/protobuf";
import { type Area, group, type MeshObject, object, policy, row, type TablePeer } from "../row.ts";
import { bearer, inSeconds, jwks, token, unsigned } from "../tokens.ts";

const shop = { iss: "shop", sub: "anna", aud: "web" };
const rule: JsonObject = { issuer: "shop", jwks: jwks("one") };
const by = "RequestAuthentication tokens";
const good = bearer(token(shop));

function tokens(...jwtRules: readonly JsonObject[]): MeshObject {
  return object("RequestAuthentication", "tokens", { jwtRules: [...jwtRules] });
}

const needToken = policy("need-token", { rules: [{ from: [{ source: { requestPrincipals: ["*"] } }] }] });

/** Serves the key set of an issuer, and its configuration. */
async function startIssuer(): Promise<TablePeer> {
  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    const isDiscovery = request.url === "/.well-known/openid-configuration";
    response.end(isDiscovery ? JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }) : jwks("one"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const oneIssuer = group(
  "Tokens of one issuer",
  [tokens(rule)],
  [
    row("are accepted", { headers: good }, 200),
    row("may be missing", {}, 200),
    row("are rejected when they are expired", { headers: bearer(token({ ...shop, exp: inSeconds(-600) })) }, 401, by, {
      answer: "Jwt is expired",
    }),
    row(
      "are accepted within the clock skew of a minute",
      {
        // Made when the row runs: the table may need a minute to start.
        get headers() {
          return bearer(token({ ...shop, exp: inSeconds(-20) }));
        },
      },
      200,
    ),
    row("are rejected before they are valid", { headers: bearer(token({ ...shop, nbf: inSeconds(600) })) }, 401, by),
    row("are rejected when another issuer is named", { headers: bearer(token({ ...shop, iss: "other" })) }, 401, by, {
      answer: "Jwt issuer is not configured",
    }),
    row("are rejected without an issuer", { headers: bearer(token({ ...shop, iss: undefined })) }, 401, by),
    row("are rejected when another key has signed them", { headers: bearer(token(shop, "two")) }, 401, by),
    row("are rejected when they are malformed", { headers: bearer("not-a-token") }, 401, by),
    row("are rejected when they are cut off", { headers: bearer(token(shop).slice(0, -20)) }, 401, by),
    row("are rejected without a signature (alg none)", { headers: bearer(unsigned(shop)) }, 401, by),
    row(
      "are ignored by CORS preflight requests",
      {
        method: "OPTIONS",
        headers: { origin: "https://a.example", "access-control-request-method": "GET", ...bearer("not-a-token") },
      },
      200,
    ),
    row("are found in the parameter access_token", { path: `/?access_token=${token(shop)}` }, 200),
    row("are rejected in the parameter access_token, too", { path: "/?access_token=bad" }, 401, by),
    row("are not forwarded", { headers: good }, 200, [], { received: { authorization: undefined } }),
  ],
);

const audiences = group(
  "Tokens for audiences",
  [tokens({ ...rule, audiences: ["web", "app"] })],
  [
    row("are accepted for one of them", { headers: good }, 200),
    row("are accepted for several", { headers: bearer(token({ ...shop, aud: ["x", "app"] })) }, 200),
    row("are rejected for another", { headers: bearer(token({ ...shop, aud: "x" })) }, 403, by),
    row("are rejected without one", { headers: bearer(token({ ...shop, aud: undefined })) }, 403, by),
  ],
);

const twoIssuers = group(
  "Tokens of two issuers",
  [tokens(rule, { issuer: "bank", jwks: jwks("two"), fromHeaders: [{ name: "x-bank" }] })],
  [
    row("are accepted from the first", { headers: good }, 200),
    row("are accepted from the second", { headers: { "x-bank": token({ iss: "bank" }, "two") } }, 200),
    row("are accepted from both", { headers: { ...good, "x-bank": token({ iss: "bank" }, "two") } }, 200),
    row("may be missing", {}, 200),
    row("are rejected with the key of the other", { headers: { "x-bank": token({ iss: "bank" }, "one") } }, 401, by),
    row("are rejected in the place of the other", { headers: { "x-bank": token(shop) } }, 401, by),
  ],
);

function tokensOf(name: string, ...jwtRules: readonly JsonObject[]): MeshObject {
  return object("RequestAuthentication", name, { jwtRules: [...jwtRules] });
}

const twoPolicies = group(
  "Tokens of two policies",
  [
    tokensOf("of-shop", rule),
    tokensOf("of-bank", { issuer: "bank", jwks: jwks("two"), fromHeaders: [{ name: "x-bank" }] }),
  ],
  [
    row("are accepted from both", { headers: { ...good, "x-bank": token({ iss: "bank" }, "two") } }, 200),
    row("are rejected by the first", { headers: bearer(token(shop, "two")) }, 401, "RequestAuthentication of-shop"),
    row(
      "are rejected by the second",
      { headers: { "x-bank": token({ iss: "bank" }, "one") } },
      401,
      "RequestAuthentication of-bank",
    ),
    row("are rejected by the policy whose place they are in", { headers: { "x-bank": token(shop) } }, 401, [
      "RequestAuthentication of-bank",
      "RequestAuthentication of-shop",
    ]),
  ],
);

const sameIssuer = group(
  "Tokens of one issuer in two policies",
  [
    tokensOf("first", rule),
    tokensOf("second", { ...rule, jwks: jwks("two") }),
    tokensOf("third", { issuer: "bank", jwks: jwks("two") }),
  ],
  [
    row("are accepted by the first", { headers: bearer(token(shop, "one")) }, 200),
    row("are accepted by the second", { headers: bearer(token(shop, "two")) }, 200),
    row(
      "are rejected by both, and not by the policy of another issuer",
      { headers: bearer(token({ ...shop, exp: inSeconds(-600) })) },
      401,
      ["RequestAuthentication first", "RequestAuthentication second"],
    ),
  ],
);

const requiredByOne = group(
  "Tokens that one of two policies requires",
  [tokensOf("optional", { issuer: "bank", jwks: jwks("two") }), tokensOf("strict", { ...rule, presence: "REQUIRED" })],
  [
    row("are accepted", { headers: good }, 200),
    row("must not be missing", {}, 401, "RequestAuthentication strict"),
    row(
      "of the other issuer do not replace them",
      { headers: bearer(token({ iss: "bank" }, "two")) },
      401,
      "RequestAuthentication strict",
    ),
  ],
);

const places = group(
  "Places of tokens",
  [
    tokens({ ...rule, fromHeaders: [{ name: "x-token", prefix: "Tok " }], fromParams: ["t"], fromCookies: ["auth"] }),
    needToken,
  ],
  [
    row(
      "include a header with its prefix",
      { headers: { "x-token": `Tok ${token(shop)}` } },
      200,
      "AuthorizationPolicy need-token rule 0",
    ),
    row("include a parameter", { path: `/?t=${token(shop)}` }, 200, "AuthorizationPolicy need-token rule 0"),
    row(
      "include a cookie",
      { headers: { cookie: `a=b; auth=${token(shop)}` } },
      200,
      "AuthorizationPolicy need-token rule 0",
    ),
    row("do not include the usual header then", { headers: good }, 403, "AuthorizationPolicy need-token"),
    row("reject a bad token in a cookie", { headers: { cookie: "auth=bad" } }, 401, by),
  ],
);

const forwarded = group(
  "Forwarded tokens",
  [
    tokens({
      ...rule,
      forwardOriginalToken: true,
      outputPayloadToHeader: "x-payload",
      outputClaimToHeaders: [
        { header: "x-sub", claim: "sub" },
        { header: "x-group", claim: "nested.group" },
      ],
    }),
  ],
  [
    row(
      "reach the application with their claims",
      { headers: bearer(token({ ...shop, nested: { group: "blue" } })) },
      200,
      [],
      {
        received: { "x-sub": "anna", "x-group": "blue" },
      },
    ),
    row("are kept", { headers: good }, 200, [], {
      received: { authorization: good["authorization"], "x-payload": good["authorization"]?.split(".")[1] },
    }),
    row("replace claims that the client has made up", { headers: { ...good, "x-sub": "root" } }, 200, [], {
      received: { "x-sub": "anna" },
    }),
  ],
);

const authorized = group(
  "Authorization by tokens",
  [
    tokens({ ...rule, spaceDelimitedClaims: ["roles"] }),
    policy("who", {
      rules: [
        { from: [{ source: { requestPrincipals: ["shop/anna"] } }], to: [{ operation: { paths: ["/own"] } }] },
        { when: [{ key: "request.auth.claims[scope]", values: ["read"] }], to: [{ operation: { paths: ["/scope"] } }] },
        {
          when: [{ key: "request.auth.claims[roles]", values: ["admin"] }],
          to: [{ operation: { paths: ["/roles"] } }],
        },
      ],
    }),
  ],
  [
    row("accepts the principal", { path: "/own", headers: good }, 200, "AuthorizationPolicy who rule 0"),
    row(
      "rejects another subject",
      { path: "/own", headers: bearer(token({ ...shop, sub: "ben" })) },
      403,
      "AuthorizationPolicy who",
    ),
    row("rejects a request without a token", { path: "/own" }, 403, "AuthorizationPolicy who"),
    row(
      "accepts a scope among several",
      { path: "/scope", headers: bearer(token({ ...shop, scope: "write read" })) },
      200,
      "AuthorizationPolicy who rule 1",
    ),
    row(
      "rejects a part of a scope",
      { path: "/scope", headers: bearer(token({ ...shop, scope: "readall" })) },
      403,
      "AuthorizationPolicy who",
    ),
    row(
      "splits the claims that the policy names",
      { path: "/roles", headers: bearer(token({ ...shop, roles: "user admin" })) },
      200,
      "AuthorizationPolicy who rule 2",
    ),
  ],
);

const required = group(
  "Required tokens",
  [tokens({ ...rule, presence: "REQUIRED" })],
  [row("are accepted", { headers: good }, 200), row("must not be missing", {}, 401, by, { answer: "Jwt is missing" })],
);

const unfetched = group(
  "A key set that cannot be fetched",
  [tokens({ issuer: "shop", jwksUri: "http://127.0.0.1:1/keys" })],
  [
    row("rejects every token of its issuer", { headers: good }, 401, by, {
      answer: "Jwks remote fetch is failed",
    }),
    row("rejects tokens that nobody has signed", { headers: bearer(unsigned(shop)) }, 401, by),
    row("lets requests without a token pass", {}, 200),
  ],
);

const fetched = group(
  "A fetched key set",
  ({ ports }) => [tokens({ issuer: "shop", jwksUri: `http://127.0.0.1:${ports["issuer"]}/keys` })],
  [
    row("verifies tokens of its issuer", { headers: good }, 200),
    row("rejects tokens with another key", { headers: bearer(token(shop, "two")) }, 401, by),
  ],
);

const destination = (host: string) => [{ route: [{ destination: { host, port: { number: 17_070 } } }] }];
const atGateway = group(
  "Claims at a gateway",
  ({ app, address }) => [
    tokens(rule),
    object("Gateway", "edge", {
      selector: { app },
      servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, bind: address, hosts: ["*"] }],
    }),
    object("VirtualService", "by-claim", {
      hosts: ["*"],
      gateways: ["edge"],
      http: [
        {
          match: [{ headers: { "@request.auth.claims.group": { exact: "canary" } } }],
          directResponse: { status: 201 },
        },
        {
          match: [
            { withoutHeaders: { "@request.auth.claims[nested][tier]": { exact: "free" } }, uri: { prefix: "/paid" } },
          ],
          directResponse: { status: 202 },
        },
        ...destination("app.peers.svc.cluster.local"),
      ],
    }),
  ],
  [
    row("choose the route", { headers: bearer(token({ ...shop, group: "canary" })) }, 201),
    row("choose the route as a list", { headers: bearer(token({ ...shop, group: ["a", "canary"] })) }, 201),
    row("of another value choose another route", { headers: bearer(token({ ...shop, group: "stable" })) }, 200),
    row("that are missing choose another route", {}, 200),
    row("may be excluded", { path: "/paid", headers: bearer(token({ ...shop, nested: { tier: "free" } })) }, 200),
    row(
      "that are not excluded choose the route",
      { path: "/paid", headers: bearer(token({ ...shop, nested: { tier: "gold" } })) },
      202,
    ),
    row("of a bad token choose nothing", { headers: bearer(token({ ...shop, group: "canary" }, "two")) }, 401, by),
  ],
  // Another router shares the Envoy of the sidecars already, and each router has certificates of its own in its clusters.
  { at: "router", alone: true },
);

/** Tokens at sidecars and gateways. */
export const jwt: Area = {
  peers: { issuer: startIssuer },
  groups: [
    oneIssuer,
    audiences,
    twoIssuers,
    twoPolicies,
    sameIssuer,
    requiredByOne,
    places,
    forwarded,
    authorized,
    required,
    unfetched,
    fetched,
    atGateway,
  ],
};
