import fc from "fast-check";
import type { Config } from "../../../src/config/config.ts";
import type { Kind } from "../../../src/config/kind.ts";
import { authorizationPolicy } from "../../../src/config/kinds/authorization-policy.ts";
import { peerAuthentication } from "../../../src/config/kinds/peer-authentication.ts";
import { requestAuthentication } from "../../../src/config/kinds/request-authentication.ts";
import { acceptedConnections } from "./accepted-connections.ts";
import { acceptedTokens } from "./accepted-tokens.ts";
import { allowedRequests } from "./allowed-requests.ts";

type Mistake = (spec: object) => unknown;

/** A kind of policy whose absence opens access. */
export interface PolicyKind {
  readonly kind: Kind;
  readonly goodSpec: fc.Arbitrary<object>;
  readonly mistakes: readonly Mistake[];
  /** The keys of its objects, if names are not free. Those that are listed twice occur more often. */
  readonly keys?: readonly string[];
  /** The requests that the policies of this kind allow in a small mesh. */
  readonly allowed: (configs: readonly Config[]) => ReadonlySet<string>;
}

const selector = fc.constantFrom<object>(
  {},
  { selector: { matchLabels: { app: "x" } } },
  { selector: { matchLabels: { app: "x" } } },
  { selector: { matchLabels: { app: "y" } } },
);

/** Mistakes that people make. The selector of most of them cannot be read. */
const usualMistakes: readonly Mistake[] = [
  (spec) => ({ ...spec, selector: { matchLabels: { app: 7 } } }),
  (spec) => ({ ...spec, selector: { labels: { app: "x" } } }),
  (spec) => ({ ...spec, slector: { matchLabels: { app: "x" } } }),
  () => 7,
  () => null,
];

const rule = fc.oneof(
  fc.constant({}),
  fc.subarray(["/a", "/b", "/c"], { minLength: 1 }).map((paths) => ({ to: [{ operation: { paths } }] })),
);
const authorization: PolicyKind = {
  kind: authorizationPolicy,
  goodSpec: fc
    .tuple(
      selector,
      fc.record({
        action: fc.constantFrom("ALLOW", "DENY"),
        rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
      }),
    )
    .map(([where, what]) => ({ ...where, ...what })),
  mistakes: [
    ...usualMistakes,
    (spec) => ({ ...spec, rules: [{ from: [] }] }),
    (spec) => ({ ...spec, action: "DENNY" }),
    (spec) => ({ ...spec, ruels: [] }),
    (spec) => ({ ...spec, rules: [{ to: [{ operation: { ports: ["http"] } }] }] }),
  ],
  allowed: allowedRequests,
};

const mode = fc
  .constantFrom("UNSET", "DISABLE", "PERMISSIVE", "STRICT", "STRICT", "STRICT")
  .map((each) => ({ mode: each }));
const peers: PolicyKind = {
  kind: peerAuthentication,
  goodSpec: fc.record({ where: selector, mtls: mode, own: fc.option(mode) }).map(({ where, mtls, own }) => ({
    ...where,
    mtls,
    ...(own !== null && "selector" in where && { portLevelMtls: { 80: own } }),
  })),
  mistakes: [
    ...usualMistakes,
    (spec) => ({ ...spec, mtls: { mode: "STRIKT" } }),
    (spec) => ({ ...spec, mtls: "STRICT" }),
    (spec) => ({ ...spec, portLevelMtls: { 70_000: { mode: "STRICT" } } }),
    (spec) => ({ ...spec, portLevelMtls: {} }),
  ],
  allowed: acceptedConnections,
};

const publicKey = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const jwks = JSON.stringify({ keys: [publicKey] });
const jwtRules = fc.array(
  fc.record({
    issuer: fc.constantFrom("first", "second"),
    jwks: fc.constant(jwks),
    presence: fc.constantFrom("OPTIONAL", "REQUIRED"),
  }),
  { minLength: 1, maxLength: 2 },
);

/** Other fields stay, so that it can be read whether a token is required. */
function inEachRule(wrong: object): Mistake {
  return (spec) => ({
    ...spec,
    jwtRules: (spec as { readonly jwtRules: readonly object[] }).jwtRules.map((each) => ({ ...each, ...wrong })),
  });
}

const tokens: PolicyKind = {
  kind: requestAuthentication,
  goodSpec: fc.tuple(selector, jwtRules).map(([where, rules]) => ({ ...where, jwtRules: rules })),
  mistakes: [
    ...usualMistakes,
    (spec) => ({ ...spec, jwtRules: "first" }),
    inEachRule({ jwks: "{" }),
    inEachRule({ issuer: "", jwks: "" }),
    inEachRule({ jwksUri: "https://a.example.com/keys" }),
    inEachRule({ presence: "REQUIERD" }),
    (spec) => ({ ...spec, audience: "a" }),
  ],
  allowed: acceptedTokens,
};

/** Kinds of today. */
export const modernKinds: readonly PolicyKind[] = [authorization, peers, tokens];
