import type { JsonObject } from "@bufbuild/protobuf";
import { type Area, group, type MeshObject, object, row } from "../row.ts";
import { bearer, jwks, token } from "../tokens.ts";

function legacy(spec: JsonObject, name = "default"): MeshObject {
  return { apiVersion: "authentication.istio.io/v1alpha1", kind: "Policy", metadata: { name }, spec };
}

const mtls = (mode: string): JsonObject => ({ peers: [{ mtls: { mode } }] });
const from = (issuer: string) => bearer(token({ iss: issuer, sub: "anna" }));
const ofShop = from("shop");
const origin = (issuer: string, more: JsonObject = {}): JsonObject => ({
  jwt: { issuer, jwks: jwks("one"), ...more },
});

const preflight = { origin: "https://shop.example.com", "access-control-request-method": "GET" };

const converted = "legacy-policy-default";
const strict = { name: `PeerAuthentication ${converted}`, at: "Policy default" };
const tokens = { name: `RequestAuthentication ${converted}`, at: "Policy default" };

function denial(rule: number) {
  return { name: `AuthorizationPolicy ${converted} rule ${rule}`, at: "Policy default" };
}

/** Authentication policies of Istio before 1.6, as they are converted. */
export const legacyPolicies: Area = {
  groups: [
    group(
      "Strict mTLS of a legacy policy",
      [legacy(mtls("STRICT"))],
      [
        row("rejects plaintext", {}, "closed", strict),
        row("rejects plaintext of TCP", { protocol: "tcp" }, "closed", strict),
        row("accepts a caller of the mesh", { as: "client/web" }, 200),
      ],
    ),
    group(
      "Permissive mTLS of a legacy policy",
      [legacy(mtls("PERMISSIVE"))],
      [row("accepts plaintext", {}, 200), row("accepts a caller of the mesh", { as: "client/web" }, 200)],
    ),
    group(
      "PeerAuthentication over legacy policy",
      [legacy(mtls("PERMISSIVE")), object("PeerAuthentication", "own", { mtls: { mode: "STRICT" } })],
      [row("counts", {}, "closed", "PeerAuthentication own")],
    ),
    group(
      "Origins of a legacy policy",
      [legacy({ origins: [origin("shop"), origin("bank")] })],
      [
        row("accept a token", { headers: from("shop") }, 200),
        row("accept a token of the other issuer", { headers: from("bank") }, 200),
        row("leave the token in the request", { headers: ofShop }, 200, [], { received: ofShop }),
        row("reject a token of a third issuer", { headers: from("thief") }, 401, tokens),
        row("reject a token with another key", { headers: bearer(token({ iss: "shop" }, "two")) }, 401, tokens),
        row("reject a request without a token", {}, 403, denial(0)),
        row("accept a preflight request without a token", { method: "OPTIONS", headers: preflight }, 200),
        row("reject other requests with OPTIONS", { method: "OPTIONS", headers: { origin: "a" } }, 403, denial(2)),
        row("reject the headers of a preflight request with GET", { headers: preflight }, 403, denial(0)),
        row("reject TCP, which has no tokens", { protocol: "tcp" }, "closed", denial(0)),
      ],
    ),
    group(
      "Optional origins of a legacy policy",
      [legacy({ origins: [origin("shop")], originIsOptional: true })],
      [
        row("accept a request without a token", {}, 200),
        row("reject a bad token", { headers: bearer("bad") }, 401, tokens),
      ],
    ),
    group(
      "Trigger rules of a legacy policy",
      [
        legacy({
          origins: [
            origin("shop", {
              triggerRules: [
                { includedPaths: [{ prefix: "/api" }], excludedPaths: [{ exact: "/api/health" }] },
                { includedPaths: [{ suffix: ".pdf" }] },
              ],
            }),
          ],
        }),
      ],
      [
        row("require a token for an included path", { path: "/api/carts" }, 403, denial(0)),
        row("require a token for a path of another rule", { path: "/a.pdf" }, 403, denial(3)),
        row("require no token for an excluded path", { path: "/api/health" }, 200),
        row("require no token for other paths", { path: "/" }, 200),
        row("accept a token for an included path", { path: "/api/carts", headers: from("shop") }, 200),
      ],
    ),
    group(
      "Tokens of peers of a legacy policy",
      [legacy({ peers: [origin("shop")] })],
      [
        row("are not checked, so it denies", { headers: ofShop }, 403, denial(0)),
        row("close connections", { protocol: "tcp" }, "closed", denial(0)),
      ],
    ),
    group(
      "An unusable legacy policy",
      [legacy({ origins: [{ jwt: { issuer: "" } }] })],
      [
        row("rejects plaintext", {}, "closed", strict),
        row("rejects a caller without a token", { as: "client/web" }, 403, denial(0)),
        row("rejects a caller with a token", { as: "client/web", headers: from("unusable.invalid") }, 401, tokens),
      ],
      // Only an Envoy that tells its extensions gets no key set instead of an empty one, which it would refuse.
      { alone: true },
    ),
  ],
};
