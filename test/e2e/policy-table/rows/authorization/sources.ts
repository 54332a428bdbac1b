import type { JsonObject } from "@bufbuild/protobuf";
import { type Group, group, object, policy, row } from "../../row.ts";
import { bearer, jwks, token } from "../../tokens.ts";

const allow = "AuthorizationPolicy allow rule 0";
const noMatch = "AuthorizationPolicy allow";
const deny = "AuthorizationPolicy deny rule 0";

function allowFrom(source: JsonObject) {
  return policy("allow", { rules: [{ from: [{ source }] }] });
}

function denyFrom(source: JsonObject) {
  return policy("deny", { action: "DENY", rules: [{ from: [{ source }] }] });
}

const issuer = object("RequestAuthentication", "issuer", {
  jwtRules: [{ issuer: "https://one/a", jwks: jwks("one") }],
});
const held = (claims: object) => ({ headers: bearer(token({ iss: "https://one/a", sub: "ann", ...claims })) });

/** Rules about clients: certificates, addresses, tokens. */
export const sourceGroups: readonly Group[] = [
  group(
    "ALLOW by principal",
    [allowFrom({ principals: ["cluster.local/ns/client/sa/web", "*/sa/ops", "cluster.local/ns/batch/*"] })],
    [
      row("lets the principal pass", { as: "client/web" }, 200, allow),
      row("lets a principal with the end pass", { as: "other/ops" }, 200, allow),
      row("lets a principal with the beginning pass", { as: "batch/any" }, 200, allow),
      row("rejects another account", { as: "client/other" }, 403, noMatch),
      row("rejects a longer account", { as: "client/webs" }, 403, noMatch),
      row("rejects another namespace", { as: "clients/web" }, 403, noMatch),
      row("rejects clients without a certificate", {}, 403, noMatch),
    ],
  ),
  group(
    "DENY without a certificate",
    [denyFrom({ notPrincipals: ["*"] })],
    [
      row("rejects plaintext", {}, 403, deny),
      row("lets every client of the mesh pass", { as: "client/web" }, 200),
      row("rejects plaintext of TCP", { protocol: "tcp" }, "closed", deny),
      row("lets TCP of a client of the mesh pass", { protocol: "tcp", as: "client/web" }, "answered"),
    ],
  ),
  group(
    "ALLOW by namespace",
    [allowFrom({ namespaces: ["client", "pre-*"] })],
    [
      row("lets the namespace pass", { as: "client/web" }, 200, allow),
      row("lets a namespace with the beginning pass", { as: "pre-release/web" }, 200, allow),
      row("rejects a longer namespace", { as: "clients/web" }, 403, noMatch),
      row("rejects a namespace in the name of an account", { as: "other/client" }, 403, noMatch),
      row("rejects plaintext", {}, 403, noMatch),
    ],
  ),
  group(
    "DENY of other namespaces",
    [denyFrom({ notNamespaces: ["client"] })],
    [
      row("lets the namespace pass", { as: "client/web" }, 200),
      row("rejects another namespace", { as: "other/web" }, 403, deny),
      row("rejects plaintext", {}, 403, deny),
    ],
  ),
  group(
    "ALLOW by service account",
    [allowFrom({ serviceAccounts: ["client/web", "local"] })],
    [
      row("lets the account pass", { as: "client/web" }, 200, allow),
      row("lets an account of its own namespace pass", { as: "allow-by-service-account/local" }, 200, allow),
      row("rejects that account of another namespace", { as: "client/local" }, 403, noMatch),
      row("rejects an account that begins alike", { as: "client/web-2" }, 403, noMatch),
    ],
  ),
  group(
    "ALLOW by trust domain",
    [allowFrom({ trustDomains: ["cluster.*"] })],
    [row("lets the trust domain pass", { as: "client/web" }, 200, allow), row("rejects plaintext", {}, 403, noMatch)],
  ),
  group(
    "ALLOW by addresses",
    [allowFrom({ ipBlocks: ["127.0.3.0/24", "127.0.5.1"], notIpBlocks: ["127.0.3.66"] })],
    [
      row("lets the subnet pass", { from: "127.0.3.9" }, 200, allow),
      row("lets the address pass", { from: "127.0.5.1" }, 200, allow),
      row("rejects the exception", { from: "127.0.3.66" }, 403, noMatch),
      row("rejects others", { from: "127.0.5.2" }, 403, noMatch),
      row("lets connections of the subnet pass", { from: "127.0.3.9", protocol: "tcp" }, "answered", allow),
      row("rejects connections of others", { from: "127.0.5.2", protocol: "tcp" }, "closed", noMatch),
    ],
  ),
  group(
    "ALLOW by token",
    [
      issuer,
      policy("allow", {
        rules: [
          { from: [{ source: { requestPrincipals: ["https://one/a/ann"] } }] },
          { when: [{ key: "request.auth.claims[groups]", values: ["admins"] }] },
          { when: [{ key: "request.auth.claims[team][name]", values: ["red*"] }] },
          {
            when: [
              { key: "request.auth.audiences", values: ["shop"] },
              { key: "request.auth.presenter", values: ["app"] },
            ],
          },
        ],
      }),
    ],
    [
      row("lets the principal pass", held({}), 200, allow),
      row("rejects another subject", held({ sub: "bob" }), 403, noMatch),
      row("rejects requests without a token", {}, 403, noMatch),
      row(
        "lets a claim in a list pass",
        held({ sub: "b", groups: ["users", "admins"] }),
        200,
        "AuthorizationPolicy allow rule 1",
      ),
      row("lets a claim as a text pass", held({ sub: "b", groups: "admins" }), 200, "AuthorizationPolicy allow rule 1"),
      row(
        "lets a nested claim pass",
        held({ sub: "b", team: { name: "red-1" } }),
        200,
        "AuthorizationPolicy allow rule 2",
      ),
      row(
        "lets audience and presenter pass",
        held({ sub: "b", aud: "shop", azp: "app" }),
        200,
        "AuthorizationPolicy allow rule 3",
      ),
      row("rejects the audience without the presenter", held({ sub: "b", aud: "shop" }), 403, noMatch),
    ],
  ),
];
