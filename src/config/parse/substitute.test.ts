import { expect, test } from "vitest";
import type { AuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { kinds } from "../kinds.ts";
import { parseConfigs } from "./parse.ts";
import { isSubstitute } from "./substitute.ts";

function parse(text: string, keepInvalid = false) {
  return parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "default", keepInvalid });
}

/** The substitute of an AuthorizationPolicy with this spec, as a plain object. */
function substituteFor(spec: string, kind = "AuthorizationPolicy") {
  const text = `apiVersion: security.istio.io/v1\nkind: ${kind}\nmetadata: {name: a, namespace: shop}\nspec: ${spec}\n`;
  const { substitutes, broken, configs } = parse(text);
  const [config, ...more] = substitutes.values();
  expect([configs, broken.size, more]).toEqual([[], 1, []]);
  return config;
}

test.each([
  ["of the selected workloads", "{selector: {matchLabels: {app: cart}}, rules: [{from: []}]}", { app: "cart" }],
  ["of the namespace, if the selector is invalid", "{selector: {matchLabels: {app: 1}}, rules: [{}]}", undefined],
  ["of the namespace, if the selector has an unknown field", "{selector: {labels: {app: cart}}}", undefined],
  [
    "of the namespace, if selector and targets conflict",
    "{selector: {matchLabels: {a: b}}, targetRef: {kind: Service, name: a}}",
    undefined,
  ],
  ["of the namespace, without a selector", "{action: DENY}", undefined],
])("an invalid AuthorizationPolicy denies all requests to the workloads %s", (_, written, selector) => {
  const config = substituteFor(written);
  expect(config && isSubstitute(config)).toBe(true);
  expect(config).toMatchObject({ kind: "AuthorizationPolicy", namespace: "shop", name: "a", spec: { rules: [{}] } });
  expect(config?.spec).toMatchObject({ action: 1 });
  const spec = config?.spec as AuthorizationPolicy | undefined;
  expect(spec?.selector?.matchLabels).toEqual(selector);
});

test("an invalid policy for a gateway denies all requests through that gateway", () => {
  const config = substituteFor(
    "{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: edge}, action: DENY}",
  );
  expect(config?.spec).toMatchObject({ action: 1, targetRefs: [{ kind: "Gateway", name: "edge" }] });
});

test("an invalid AUDIT policy has no substitute, because it denies nothing", () => {
  expect(substituteFor("{action: AUDIT, rules: [{from: []}]}")).toBeUndefined();
});

test("an invalid PeerAuthentication requires mutual TLS", () => {
  const config = substituteFor("{selector: {matchLabels: {app: cart}}, mtls: {mode: MAYBE}}", "PeerAuthentication");
  expect(config?.spec).toMatchObject({ selector: { matchLabels: { app: "cart" } }, mtls: { mode: 3 } });
});

test("an invalid RequestAuthentication accepts no token", () => {
  const config = substituteFor("{jwtRules: [{issuer: a, jwks: no}]}", "RequestAuthentication");
  expect(config?.spec).toMatchObject({ jwtRules: [{ jwks: '{"keys":[]}' }] });
});

test("after a syntax error in the spec, the policy denies all requests of its namespace", () => {
  const { substitutes } = parse(`apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: a, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  rules: [
`);
  const [config] = substitutes.values();
  expect(config?.spec).toMatchObject({ action: 1 });
  expect(config?.spec).not.toHaveProperty("selector.matchLabels");
});

test("other kinds have no substitute, and analysis sees the object as it is", () => {
  const route = "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: a}\nspec: {http: 1}\n";
  expect(parse(route).substitutes.size).toBe(0);
  const policy =
    "apiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a}\nspec: {action: DENY}\n";
  expect(parse(policy, true).substitutes.size).toBe(0);
});

function document(spec: string): string {
  return `apiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a}\nspec: ${spec}\n`;
}

test("a valid document of the same object replaces the substitute", () => {
  const { configs, substitutes } = parse(`${document("{action: DENY}")}---\n${document("{}")}`);
  expect([configs.length, substitutes.size]).toEqual([1, 0]);
});
