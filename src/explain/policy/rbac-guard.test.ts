import { createRegistry, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { RBACSchema } from "#gen/envoy/extensions/filters/http/rbac/v3/rbac_pb.js";
import { RBACSchema as NetworkSchema } from "#gen/envoy/extensions/filters/network/rbac/v3/rbac_pb.js";
import { UriTemplateMatchConfigSchema } from "#gen/envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.js";
import { type ConfigId, configId } from "../../config/config.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import type { JudgedRequest } from "./judged-request.ts";
import { httpRbacGuard, networkRbacGuard } from "./rbac-guard.ts";
import { receivedConnection } from "./received-request.ts";

const registry = createRegistry(UriTemplateMatchConfigSchema);
const any = { any: true };
const place = { name: "rbac", owners: [] };

function judged(changes: Partial<SimulatedRequest> = {}, more: Partial<JudgedRequest> = {}): JudgedRequest {
  const request = {
    port: 80,
    host: "shop",
    path: "/",
    method: "GET",
    headers: {},
    sourceAddress: "10.0.0.9",
    ...changes,
  };
  return { ...receivedConnection(request, { address: "10.0.0.1" }), layer: "request", ...more };
}

function policies(entries: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, { permissions: [any], principals: [any], ...entry }]),
  );
}

function guard(rbac: JsonObject, request: JudgedRequest, owners: readonly ConfigId[] = []) {
  const config = anyPack(RBACSchema, fromJson(RBACSchema, rbac, { registry }));
  const result = httpRbacGuard(config, request, { ...place, owners });
  return { type: result?.outcome?.type ?? "passes", by: result?.deciders ?? [], result };
}

/** Whether a DENY rule with this permission or principal matches. */
function matches(entry: JsonObject, request: JudgedRequest): string {
  const rules = { action: "DENY", policies: policies({ "ns[a]-policy[b]-rule[0]": entry }) };
  const { type } = guard({ rules }, request);
  return { passes: "no", refused: "yes" }[type] ?? type;
}

const path = (pattern: JsonObject) => ({ permissions: [{ urlPath: { path: pattern } }] });
const header = (matcher: JsonObject) => ({ permissions: [{ header: matcher }] });
const caller = (identifier: JsonObject) => ({ principals: [identifier] });
const mesh = { protocol: "tls", principal: "spiffe://cluster.local/ns/a/sa/b" } as const;
const claims = { "envoy.filters.http.jwt_authn": { payload: { iss: "me", groups: ["x", "y"], deep: { er: "z" } } } };
const claim = (keys: readonly string[], value: JsonObject) =>
  caller({ metadata: { filter: "envoy.filters.http.jwt_authn", path: keys.map((key) => ({ key })), value } });

describe("an RBAC rule", () => {
  test.each<[string, JsonObject, JudgedRequest, string]>([
    ["a path without its query", path({ exact: "/a" }), judged({ path: "/a?b" }), "yes"],
    ["another path", path({ exact: "/a" }), judged({ path: "/ab" }), "no"],
    ["a prefix of the path", path({ prefix: "/a" }), judged({ path: "/ab" }), "yes"],
    [
      "one of repeated headers",
      header({ name: "x", stringMatch: { exact: "a" } }),
      judged({ headers: { x: "b,a" }, repeated: { x: ["b", "a"] } }),
      "yes",
    ],
    [
      "a missing header, inverted",
      header({ name: "x", stringMatch: { exact: "a" }, invertMatch: true }),
      judged(),
      "no",
    ],
    [
      "a host in capitals",
      header({ name: ":authority", stringMatch: { exact: "SHOP", ignoreCase: true } }),
      judged(),
      "yes",
    ],
    ["a method", header({ name: ":method", stringMatch: { exact: "GET" } }), judged({ method: "PUT" }), "no"],
    ["the port", { permissions: [{ destinationPort: 80 }] }, judged(), "yes"],
    ["another port", { permissions: [{ destinationPort: 81 }] }, judged(), "no"],
    ["not another port", { permissions: [{ notRule: { destinationPort: 81 } }] }, judged(), "yes"],
    [
      "a server name",
      { permissions: [{ requestedServerName: { suffix: ".com" } }] },
      judged({ ...mesh, sni: "a.com" }),
      "yes",
    ],
    ["a caller by name", caller({ authenticated: { principalName: { suffix: "/sa/b" } } }), judged(mesh), "yes"],
    [
      "a caller without TLS",
      caller({ authenticated: { principalName: { safeRegex: { regex: ".*" } } } }),
      judged(),
      "no",
    ],
    [
      "not a caller without TLS",
      caller({ notId: { authenticated: { principalName: { exact: "a" } } } }),
      judged(),
      "yes",
    ],
    [
      "an unknown caller",
      caller({ authenticated: { principalName: { exact: "a" } } }),
      judged({ protocol: "tls", clientCertificate: true }),
      "unknown",
    ],
    ["a direct address", caller({ directRemoteIp: { addressPrefix: "10.0.0.0", prefixLen: 8 } }), judged(), "yes"],
    [
      "a remote address",
      caller({ remoteIp: { addressPrefix: "1.0.0.0", prefixLen: 8 } }),
      judged({}, { remoteAddress: "1.2.3.4" }),
      "yes",
    ],
    [
      "an unknown address",
      caller({ remoteIp: { addressPrefix: "1.0.0.0", prefixLen: 8 } }),
      judged({}, { remoteAddress: undefined }),
      "unknown",
    ],
    [
      "a claim in a list",
      claim(["payload", "groups"], { listMatch: { oneOf: { stringMatch: { exact: "y" } } } }),
      judged({}, { metadata: claims }),
      "yes",
    ],
    [
      "a nested claim",
      claim(["payload", "deep", "er"], { stringMatch: { exact: "z" } }),
      judged({}, { metadata: claims }),
      "yes",
    ],
    [
      "a missing claim",
      claim(["payload", "no"], { stringMatch: { prefix: "" } }),
      judged({}, { metadata: claims }),
      "no",
    ],
  ])("about %s is evaluated as Envoy does", (_, entry, request, expected) => {
    expect(matches(entry, request)).toBe(expected);
  });

  test.each([
    ["/a/*", "/a/b", "yes"],
    ["/a/*", "/a/b/c", "no"],
    ["/a/*", "/a/", "no"],
    ["/a/**", "/a/", "yes"],
    ["/a/**/z", "/a/b/c/z", "yes"],
    ["/a/*.png", "/a/b.png", "yes"],
  ])("about the template %s and the path %s matches: %s", (pathTemplate, asked, expected) => {
    const typedConfig = {
      "@type": "type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig",
      pathTemplate,
    };
    const entry = { permissions: [{ uriTemplate: { name: "uri-template", typedConfig } }] };
    expect(matches(entry, judged({ path: asked }))).toBe(expected);
  });

  test("about the path never matches a connection", () => {
    const rbac = { statPrefix: "tcp.", rules: { action: "DENY", policies: policies({ a: path({ prefix: "/" }) }) } };
    const config = anyPack(NetworkSchema, fromJson(NetworkSchema, rbac, { registry }));
    expect(networkRbacGuard(config, judged({}, { layer: "connection" }), place)?.outcome).toBeUndefined();
  });
});

describe("an RBAC filter", () => {
  const entries = policies({
    "ns[a]-policy[z]-rule[1]": {},
    "ns[a]-policy[b]-rule[0]": path({ exact: "/b" }),
  });

  test("that denies names the rule that matches", () => {
    const { result, by } = guard({ rules: { action: "DENY", policies: entries } }, judged());
    expect(result?.outcome).toMatchObject({ type: "refused", status: 403 });
    expect(by).toEqual([{ object: "AuthorizationPolicy/a/z", part: "rule 1" }]);
  });

  test("names the first matching rule by its name, as Envoy does", () => {
    const { by } = guard({ rules: { action: "ALLOW", policies: entries } }, judged({ path: "/b" }));
    expect(by).toEqual([{ object: "AuthorizationPolicy/a/b", part: "rule 0" }]);
  });

  test("that allows nothing names all its policies", () => {
    const only = policies({
      "ns[a]-policy[b]-rule[0]": path({ exact: "/b" }),
      "ns[a]-policy[c]-rule[0]": path({ exact: "/c" }),
    });
    const { type, by } = guard({ rules: { policies: only } }, judged());
    expect([type, by]).toEqual([
      "refused",
      [{ object: "AuthorizationPolicy/a/b" }, { object: "AuthorizationPolicy/a/c" }],
    ]);
  });

  test("without policies denies everything if it allows, and nothing if it denies", () => {
    expect(guard({ rules: { action: "ALLOW" } }, judged()).type).toBe("refused");
    expect(guard({ rules: { action: "DENY" } }, judged()).type).toBe("passes");
    expect(guard({}, judged()).type).toBe("passes");
  });

  test("that audits lets everything pass", () => {
    const { type, by, result } = guard({ rules: { action: "LOG", policies: entries } }, judged());
    expect([type, by]).toEqual(["passes", []]);
    expect(result?.step.why).toContain("rule 1 of AuthorizationPolicy a/z matches");
  });

  test("with a dry run says what it would do, and writes it down", () => {
    const { type, result } = guard(
      { shadowRules: { action: "DENY", policies: entries }, shadowRulesStatPrefix: "dry_" },
      judged(),
    );
    expect([type, result?.step.why]).toEqual([
      "passes",
      "the dry run would deny it: rule 1 of AuthorizationPolicy a/z matches",
    ]);
    expect(result?.metadata).toEqual({
      "envoy.filters.http.rbac": {
        dry_shadow_effective_policy_id: "ns[a]-policy[z]-rule[1]",
        dry_shadow_engine_result: "denied",
      },
    });
  });

  test("of a gRPC server names all policies of its listener whose names fit the entry", () => {
    const names = [
      ["a-b", "c"],
      ["a", "b-c"],
      ["a", "b"],
      ["a", "b-c-0"],
    ] as const;
    const policiesBehind = names.map(([namespace, name]) => configId("AuthorizationPolicy", namespace, name));
    const owners = [...policiesBehind, configId("EnvoyFilter", "a", "b-c")];
    const denied = (entry: string) =>
      guard({ rules: { action: "DENY", policies: policies({ [entry]: {} }) } }, judged(), owners);
    const { by, result } = denied("a-b-c-10");
    expect(by).toEqual([
      { object: "AuthorizationPolicy/a-b/c", part: "rule 10" },
      { object: "AuthorizationPolicy/a/b-c", part: "rule 10" },
    ]);
    expect(result?.step.why).toBe(
      "rule 10 of AuthorizationPolicy a-b/c or rule 10 of AuthorizationPolicy a/b-c matches, and it denies",
    );
    expect(denied("a-b-0").by).toEqual([{ object: "AuthorizationPolicy/a/b", part: "rule 0" }]);
    expect(denied("unknown-0").by).toEqual([]);
  });
});
