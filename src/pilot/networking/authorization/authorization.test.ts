import { fromBinary } from "@bufbuild/protobuf";
import { AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { RBACSchema } from "#gen/envoy/extensions/filters/http/rbac/v3/rbac_pb.js";
import { RBACSchema as NetworkRbacSchema } from "#gen/envoy/extensions/filters/network/rbac/v3/rbac_pb.js";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { Attribute, AuthorizationPolicy } from "../../model/policy/authorization-policy.ts";
import type { FilterMessage } from "../filters/filter.ts";
import { grpcAuthorization } from "./grpc-authorization.ts";
import { rbacFilters } from "./rbac-filters.ts";
import { withAliases } from "./trust-domains.ts";

const writer = new ProtoWriter();
const reader = { trustDomains: ["cluster.local"], hostsByRegex: false, templatesByRegex: false };

function match(attribute: Attribute, ...values: readonly string[]) {
  return { attribute, key: [], values, notValues: [] };
}

function policy(changes: Partial<AuthorizationPolicy>): AuthorizationPolicy {
  const [namespace, name] = ["shop", "a"];
  const owner = configId("AuthorizationPolicy", namespace, name);
  const attached = { namespace, name, createdAt: 0, owner, selector: undefined, targets: [] };
  return { ...attached, action: "allow", dryRun: false, converted: false, provider: undefined, rules: [], ...changes };
}

function ruleOf(...operation: readonly ReturnType<typeof match>[]) {
  return { sources: [], operations: [operation], conditions: [] };
}

function configOf({ configType }: FilterMessage) {
  const any = fromBinary(AnySchema, configType.value);
  return anyUnpack(any, RBACSchema) ?? anyUnpack(any, NetworkRbacSchema);
}

test("an ALLOW rule about HTTP allows no connection, so the filter denies all of them", () => {
  const rules = [ruleOf(match("request.path", "/a")), ruleOf(match("destination.port", "80"))];
  const [filter] = rbacFilters([policy({ rules })], { ...reader, carries: "tcp" }, writer);
  expect(Object.keys((filter && configOf(filter)?.rules?.policies) ?? {})).toEqual(["ns[shop]-policy[a]-rule[1]"]);
  const [closed] = rbacFilters([policy({ rules: rules.slice(0, 1) })], { ...reader, carries: "tcp" }, writer);
  expect(closed && configOf(closed)?.rules).toMatchObject({ action: 0, policies: {} });
});

test("a DENY rule about HTTP denies every connection that its other fields match", () => {
  const rules = [ruleOf(match("request.path", "/a"), match("destination.port", "80"))];
  const [filter] = rbacFilters([policy({ action: "deny", rules })], { ...reader, carries: "tcp" }, writer);
  const denied = filter && configOf(filter)?.rules?.policies["ns[shop]-policy[a]-rule[0]"];
  expect(denied?.permissions).toMatchObject([{ rule: { value: { rules: [{ rule: { case: "orRules" } }] } } }]);
});

test("a principal of the mesh means its trust domain and all aliases", () => {
  const expanded = (...values: readonly string[]) =>
    withAliases(match("source.principal", ...values), ["new", "old"]).values;
  expect(expanded("cluster.local/ns/a/sa/b")).toEqual(["new/ns/a/sa/b", "old/ns/a/sa/b"]);
  expect(expanded("old/ns/a/sa/b")).toEqual(["new/ns/a/sa/b", "old/ns/a/sa/b"]);
  expect(expanded("other/ns/a/sa/b", "*/ns/a/sa/b", "*")).toEqual(["other/ns/a/sa/b", "*/ns/a/sa/b", "*"]);
  expect(withAliases(match("source.trustDomain", "old", "x"), ["new", "old"]).values).toEqual(["new", "old", "x"]);
});

test("gRPC servers get DENY and ALLOW under different names, and a policy without rules allows nothing", () => {
  const authorization = [
    policy({ name: "nothing" }),
    policy({ name: "deny", action: "deny", rules: [ruleOf(match("request.path", "/a/{*}/b"))] }),
    policy({ name: "trial", action: "deny", dryRun: true, rules: [ruleOf()] }),
    policy({ name: "audit", action: "audit", rules: [ruleOf()] }),
  ];
  const filters = grpcAuthorization({ authorization }, defaultMeshSettings, writer);
  expect(filters.map(({ name }) => name)).toEqual(["envoy.filters.http.rbac.DENY", "envoy.filters.http.rbac"]);
  expect(filters.map((filter) => Object.keys(configOf(filter)?.rules?.policies ?? {}))).toEqual([
    ["shop-deny-0"],
    ["shop-nothing-0"],
  ]);
  // gRPC refuses listeners with templates of paths.
  expect(JSON.stringify(filters.map((filter) => configOf(filter)?.rules))).toContain('"regex":"/a/[^/]+/b"');
});

const enforced = (filters: readonly FilterMessage[]) =>
  filters.flatMap((filter) => Object.keys(configOf(filter)?.rules?.policies ?? {}));

test.each([
  ["an ALLOW policy of a user", {}, ["own"]],
  ["a trial of a user", { dryRun: true }, ["converted"]],
  ["a DENY policy of a user", { action: "deny" }, ["own", "converted"]],
] as const)("beside %s, the enforced policies are %3$j", (_, changes, names) => {
  const own = policy({ name: "own", rules: [ruleOf()], ...changes });
  const converted = policy({ name: "converted", rules: [ruleOf()], converted: true });
  const expected = names.map((name) => `ns[shop]-policy[${name}]-rule[0]`);
  expect(enforced(rbacFilters([own, converted], { ...reader, carries: "http" }, writer))).toEqual(expected);
  const ofGrpc = names.map((name) => `shop-${name}-0`);
  expect(enforced(grpcAuthorization({ authorization: [own, converted] }, defaultMeshSettings, writer))).toEqual(ofGrpc);
});

test("a converted DENY policy counts beside an ALLOW policy of a user", () => {
  const [own, converted] = [
    policy({ rules: [ruleOf()] }),
    policy({ action: "deny", rules: [ruleOf()], converted: true }),
  ];
  const filters = rbacFilters([own, converted], { ...reader, carries: "http" }, writer);
  expect(filters.map((filter) => configOf(filter)?.rules?.action)).toEqual([1, 0]);
});
