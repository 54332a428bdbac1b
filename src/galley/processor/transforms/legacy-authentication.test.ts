import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../config/config.ts";
import { type Kind, outputOf } from "../../../config/kind.ts";
import { authorizationPolicy } from "../../../config/kinds/authorization-policy.ts";
import { peerAuthentication } from "../../../config/kinds/peer-authentication.ts";
import { requestAuthentication } from "../../../config/kinds/request-authentication.ts";
import { TransformerRig } from "../../../testing/galley/transformer-rig.ts";
import { legacyAuthenticationTransformer } from "./legacy-authentication.ts";

function policy(spec: string, name = "default"): string {
  return `
apiVersion: authentication.istio.io/v1alpha1
kind: Policy
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;
}

function meshPolicy(spec: string): string {
  return policy(spec).replace("kind: Policy", "kind: MeshPolicy").replace(", namespace: shop", "");
}

function service(name: string, spec: string): string {
  return `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;
}

function own(namespace: string): string {
  return `
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: own, namespace: ${namespace}}
spec: {mtls: {mode: STRICT}}
`;
}

const carts = service(
  "carts",
  "{selector: {app: carts}, ports: [{name: http, port: 80, targetPort: 8080}, {name: tcp, port: 81}, {name: far, port: 82, targetPort: named}]}",
);

function rigWith(...texts: readonly string[]): TransformerRig {
  const rig = new TransformerRig(legacyAuthenticationTransformer("cluster.local"));
  for (const text of texts) rig.apply(text);
  return rig;
}

function madeIn(rig: TransformerRig, kind: Kind): Readonly<Record<string, unknown>> {
  const entries = [...rig.output(outputOf(kind) ?? "").entries()] as [string, Config<never>][];
  return Object.fromEntries(entries.map(([key, { spec }]) => [key, toJson(kind.schema, spec)]));
}

const peers = (...texts: readonly string[]) => madeIn(rigWith(...texts), peerAuthentication);
const strict = "peers: [{mtls: {}}]";
const lenient = "peers: [{mtls: {mode: PERMISSIVE}}]";
const jwt = (issuer: string, more = "") => `{jwt: {issuer: ${issuer}, jwks: '{"keys":[]}'${more}}}`;
const cartsOnly = (ports = "") => `targets: [{name: carts${ports}}]`;
const selector = { matchLabels: { app: "carts" } };

describe("mutual TLS of a legacy policy", () => {
  test.each([
    [strict, "STRICT"],
    ["peers: [{mtls: null}]", "STRICT"],
    [lenient, "PERMISSIVE"],
    ["peers: [{mtls: {allowTls: true}}]", "STRICT"],
    [`peers: [${jwt("a")}, {mtls: {}}]`, "STRICT"],
    ["", "PERMISSIVE"],
    [`peers: [${jwt("a")}]`, "PERMISSIVE"],
    [`${strict}, peerIsOptional: true`, "STRICT"],
  ])("for the namespace with {%s} is %s", (spec, mode) => {
    expect(peers(policy(`{${spec}}`))).toEqual({ "shop/legacy-policy-default": { mtls: { mode } } });
  });

  test("of a MeshPolicy is in the root namespace, and moves with it", () => {
    const rig = rigWith(meshPolicy(`{${strict}}`));
    const spec = { mtls: { mode: "STRICT" } };
    expect(madeIn(rig, peerAuthentication)).toEqual({ "istio-system/legacy-meshpolicy-default": spec });
    rig.setMesh("rootNamespace: root");
    expect(madeIn(rig, peerAuthentication)).toEqual({ "root/legacy-meshpolicy-default": spec });
  });

  test.each([
    [
      "is strict for all ports of the workloads, whichever ports it names",
      `{${strict}, ${cartsOnly(", ports: [{number: 80}]")}}`,
      { selector, mtls: { mode: "STRICT" } },
    ],
    [
      "is lenient at the named ports of the workloads alone",
      `{${lenient}, ${cartsOnly(", ports: [{number: 80}, {name: tcp}]")}}`,
      { selector, portLevelMtls: { 8080: { mode: "PERMISSIVE" }, 81: { mode: "PERMISSIVE" } } },
    ],
    [
      "is lenient at the ports of both of two targets with one name",
      `{${lenient}, targets: [{name: carts, ports: [{number: 80}]}, {name: carts, ports: [{number: 81}]}]}`,
      { selector, portLevelMtls: { 8080: { mode: "PERMISSIVE" }, 81: { mode: "PERMISSIVE" } } },
    ],
  ])("for a service %s", (_, spec, expected) => {
    expect(peers(carts, policy(spec, "one"))).toEqual({ "shop/legacy-policy-one-carts": expected });
  });

  test.each([
    ["a port that is not certain", carts, ", ports: [{name: far}]"],
    ["a port that the service does not have", carts, ", ports: [{number: 9}]"],
    ["a service without a selector", service("carts", "{ports: [{name: http, port: 80}]}"), ""],
    ["a service that nobody has declared", "", ""],
  ])("is not lenient for %s", (_, declared, ports) => {
    expect(peers(declared, policy(`{${lenient}, ${cartsOnly(ports)}}`, "one"))).toEqual({});
  });

  test.each([
    ["a service without a selector", service("carts", "{ports: [{name: http, port: 80}]}")],
    [
      "a ServiceEntry",
      `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: entry, namespace: shop}
spec: {hosts: [carts.shop.svc.cluster.local], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
`,
    ],
  ])("is strict for the whole namespace if the target is %s", (_, declared) => {
    const made = peers(declared, policy(`{${strict}, ${cartsOnly()}}`, "one"));
    expect(made).toEqual({ "shop/legacy-policy-one-carts": { mtls: { mode: "STRICT" } } });
  });

  test("follows its service", () => {
    const rig = rigWith(policy(`{${strict}, ${cartsOnly()}}`, "one"));
    expect(madeIn(rig, peerAuthentication)).toEqual({});
    rig.apply(carts);
    expect(Object.keys(madeIn(rig, peerAuthentication))).toEqual(["shop/legacy-policy-one-carts"]);
    rig.remove(carts);
    expect(madeIn(rig, peerAuthentication)).toEqual({});
  });

  test.each(["shop", "istio-system"])("never weakens a PeerAuthentication in the namespace %s", (namespace) => {
    const texts = [policy(`{${lenient}}`), policy(`{${strict}, ${cartsOnly()}}`, "one"), carts];
    expect(Object.keys(peers(...texts, own(namespace)))).toEqual(["shop/legacy-policy-one-carts"]);
    expect(Object.keys(peers(...texts, own("other"))).toSorted()).toEqual([
      "shop/legacy-policy-default",
      "shop/legacy-policy-one-carts",
    ]);
  });

  test("is younger than all objects of users, and names its policy and place", () => {
    const rig = rigWith(policy(`{${strict}}`));
    const config = rig.output(outputOf(peerAuthentication) ?? "").get("shop/legacy-policy-default");
    expect(config?.createdAt).toBeGreaterThan(Date.UTC(9999, 1));
    expect(config?.annotations).toEqual({ "binnacle.io/converted-from": "Policy shop/default" });
    expect(config?.origin.locate("")?.line).toBe(2);
  });
});

function tokens(spec: string, name = "default") {
  const rig = rigWith(carts, policy(spec, name));
  const [request] = Object.values(madeIn(rig, requestAuthentication));
  const [demand] = Object.values(madeIn(rig, authorizationPolicy));
  return { request, demand };
}

const lacks = (header: string) => ({ key: `request.headers[${header}]`, notValues: ["*"] });

/** The rules that deny requests without a token of these issuers, except preflight requests of CORS. */
function unless(issuers: readonly string[], operation?: object): readonly object[] {
  const iss = { key: "request.auth.claims[iss]", notValues: issuers };
  const to = operation === undefined ? {} : { to: [{ operation }] };
  return [
    { to: [{ operation: { ...operation, notMethods: ["OPTIONS"] } }], when: [iss] },
    { ...to, when: [iss, lacks("origin")] },
    { ...to, when: [iss, lacks("access-control-request-method")] },
  ];
}
const triggers = (rules: string) => `, triggerRules: [${rules}]`;

describe("the tokens of a legacy policy", () => {
  test("are checked as before, and stay in the request", () => {
    const more = ", audiences: [web], jwtHeaders: [x-token], jwtParams: [t]";
    expect(tokens(`{origins: [${jwt("a", more)}]}`)).toEqual({
      request: {
        jwtRules: [
          {
            issuer: "a",
            audiences: ["web"],
            jwks: '{"keys":[]}',
            fromHeaders: [{ name: "x-token" }],
            fromParams: ["t"],
            forwardOriginalToken: true,
          },
        ],
      },
      demand: { action: "DENY", rules: unless(["a"]) },
    });
  });

  test("may be missing if they are optional", () => {
    const { request, demand } = tokens(`{origins: [${jwt("a")}], originIsOptional: true}`);
    expect([request === undefined, demand]).toEqual([false, undefined]);
  });

  test("are for the service of the target, on its named ports", () => {
    const targetRefs = [{ kind: "Service", name: "carts" }];
    const some = tokens(`{origins: [${jwt("a")}], ${cartsOnly(", ports: [{number: 80}]")}}`, "one");
    expect(some).toMatchObject({
      request: { targetRefs },
      demand: { targetRefs, rules: unless(["a"], { ports: ["8080"] }) },
    });
    const unsure = tokens(`{origins: [${jwt("a")}], ${cartsOnly(", ports: [{number: 80}, {name: far}]")}}`, "one");
    expect(unsure.demand).toEqual({ targetRefs, action: "DENY", rules: unless(["a"]) });
  });

  test.each([
    ["all paths but some", "{excludedPaths: [{prefix: /open}, {suffix: .css}]}", { notPaths: ["/open*", "*.css"] }],
    ["some paths", "{includedPaths: [{exact: /a}], excludedPaths: [{exact: /b}]}", { paths: ["/a"], notPaths: ["/b"] }],
    [
      "all paths, if an included one is a regular expression",
      "{includedPaths: [{exact: /a}, {regex: /b.+}]}",
      undefined,
    ],
    ["all paths, if the excluded one is a regular expression", "{excludedPaths: [{regex: .+}]}", undefined],
    ["all paths, if the excluded one would be a wildcard today", '{excludedPaths: [{exact: "/a*"}]}', undefined],
    ["all paths, if the excluded one would be a template today", '{excludedPaths: [{exact: "/{*}"}]}', undefined],
  ])("are required for %s", (_, rule, operation) => {
    const { demand } = tokens(`{origins: [${jwt("a", triggers(rule))}]}`);
    expect(demand).toEqual({ action: "DENY", rules: unless(["a"], operation) });
  });

  test("may be of each issuer for the same paths", () => {
    const { demand } = tokens(`{origins: [${jwt("a")}, ${jwt("b")}]}`);
    expect(demand).toMatchObject({ rules: [...unless(["a", "b"]), ...unless(["a", "b"])] });
  });

  test("must be of the issuer for the paths", () => {
    const rule = triggers("{includedPaths: [{exact: /b}]}");
    const { demand } = tokens(`{origins: [${jwt("a")}, ${jwt("b", rule)}]}`);
    expect(demand).toMatchObject({ rules: [...unless(["a"]), ...unless(["a", "b"], { paths: ["/b"] })] });
  });

  test("of peers are not checked, so without mutual TLS everything is denied", () => {
    expect(tokens(`{peers: [${jwt("a")}]}`)).toEqual({ request: undefined, demand: { action: "DENY", rules: [{}] } });
    const atPort = tokens(`{peers: [${jwt("a")}], ${cartsOnly(", ports: [{number: 80}]")}}`, "one").demand;
    expect(atPort).toMatchObject({ rules: [{ to: [{ operation: { ports: ["8080"] } }] }] });
    expect(tokens(`{peers: [${jwt("a")}, {mtls: {}}]}`).demand).toBeUndefined();
  });

  test("are not checked without the service of the target", () => {
    const rig = rigWith(policy(`{origins: [${jwt("a")}], ${cartsOnly()}}`, "one"));
    expect([madeIn(rig, requestAuthentication), madeIn(rig, authorizationPolicy)]).toEqual([{}, {}]);
  });
});
