import { describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import { fakeBalancer, fakePolicy } from "../../../testing/model/fake-traffic-policy.ts";
import { routerScopeFor } from "../scope/router-scope.ts";
import type { Service } from "../service/service.ts";
import { hashLookupFor } from "./applied-hash.ts";
import { changedHashes } from "./changed-hashes.ts";
import type { DestinationRule, PortPolicy, TrafficPolicy } from "./destination-rule.ts";

function hashing(name: string): PortPolicy {
  const consistentHash = { key: { type: "header", name }, algorithm: "ring-hash", size: 1024 } as const;
  return fakePolicy({ loadBalancer: fakeBalancer({ consistentHash }) });
}

function policy(name: string, ports: Readonly<Record<number, string>> = {}): TrafficPolicy {
  const byPort = Object.entries(ports).map(([port, header]) => [Number(port), hashing(header)] as const);
  return { ...fakePolicy(), ...(name !== "" && hashing(name)), ports: new Map(byPort) };
}

function momentWith(services: readonly Service[], rules: readonly DestinationRule[]) {
  const push = pushOf({ services, rules });
  return { push, scope: routerScopeFor("web", push) };
}

function momentOf(...rules: readonly DestinationRule[]) {
  return momentWith([fakeService()], rules);
}

test.each<[string, string, number | undefined, string | undefined]>([
  ["a port of a subset", "v1", 81, "subset-port"],
  ["a subset", "v1", 80, "subset"],
  ["a subset, where no port is named", "v1", undefined, "subset"],
  ["a port", "", 80, "port"],
  ["a port, where the subset says nothing", "v2", 80, "port"],
  ["everything", "", 82, "whole"],
  ["everything, where no port is named", "", undefined, "whole"],
])("the most specific policy applies: that of %s", (_, subset, port, header) => {
  const subsets = [
    { name: "v1", labels: {}, trafficPolicy: policy("subset", { 81: "subset-port" }) },
    { name: "v2", labels: {}, trafficPolicy: undefined },
  ];
  const { push, scope } = momentOf(fakeRule({ trafficPolicy: policy("whole", { 80: "port" }), subsets }));
  const applied = hashLookupFor(scope, {}, push)({ hostname: "cart.shop", subset, port });
  expect(applied?.hash.key).toEqual({ type: "header", name: header });
  expect(applied?.owners).toEqual(["DestinationRule/shop/cart"]);
});

test("a host has no hash if it is unknown or no rule configures one", () => {
  const { push, scope } = momentOf(fakeRule({ trafficPolicy: policy("whole"), host: "other.shop" }));
  for (const hostname of ["cart.shop", "other.shop"]) {
    expect(hashLookupFor(scope, {}, push)({ hostname, subset: "", port: 80 })).toBeUndefined();
  }
});

const changed = [configId("DestinationRule", "shop", "cart")];
const plain = fakeRule({ trafficPolicy: fakePolicy() });

test.each<[string, DestinationRule, DestinationRule, readonly string[]]>([
  ["a hash that comes", plain, fakeRule({ trafficPolicy: policy("a") }), ["cart.shop"]],
  ["a hash that goes", fakeRule({ trafficPolicy: policy("a") }), plain, ["cart.shop"]],
  [
    "another hash of a port",
    fakeRule({ trafficPolicy: policy("", { 80: "a" }) }),
    fakeRule({ trafficPolicy: policy("", { 80: "b" }) }),
    ["cart.shop"],
  ],
  ["a hash for many hosts", plain, fakeRule({ host: "*.shop", trafficPolicy: policy("a") }), ["cart.shop"]],
  ["a rule without hash", plain, fakeRule({ trafficPolicy: undefined }), []],
  ["a rule without hash for many hosts", plain, fakeRule({ host: "*.shop" }), []],
  [
    "the rest of a rule with one",
    fakeRule({ trafficPolicy: policy("a") }),
    fakeRule({ trafficPolicy: { ...policy("a"), proxyProtocol: "v1" } }),
    [],
  ],
])("%s is distinguished from other changes", (_, before, after, hostnames) => {
  expect([...changedHashes(changed, momentOf(before), momentOf(after), {})]).toEqual(hostnames);
});

test("replacing a rule with a hash by a rule without one is a change", () => {
  const far = fakeRule({ name: "far", namespace: "istio-system", trafficPolicy: policy("a") });
  expect([...changedHashes(changed, momentOf(far), momentOf(far, plain), {})]).toEqual(["cart.shop"]);
});

describe("a service without a change of rules", () => {
  const rules = [fakeRule({ trafficPolicy: policy("a") })];
  const many = [fakeRule({ host: "*.shop", trafficPolicy: policy("a") })];
  const service = configId("Service", "shop", "cart.shop");

  test.each([
    ["a rule of its host", rules],
    ["a rule of many hosts", many],
  ])("adds the hash of %s when it appears, and removes the hash when it disappears", (_, present) => {
    const [absent, there] = [momentWith([], present), momentWith([fakeService()], present)];
    expect([...changedHashes([service], absent, there, {})]).toEqual(["cart.shop"]);
    expect([...changedHashes([service], there, absent, {})]).toEqual(["cart.shop"]);
  });

  test("brings another hash when another namespace becomes the owner of its host", () => {
    const own = fakeRule({ namespace: "bank", trafficPolicy: policy("b") });
    const shop = momentWith([fakeService()], [...rules, own]);
    const bank = momentWith([fakeService({ namespace: "bank" })], [...rules, own]);
    expect([...changedHashes([service], shop, bank, {})]).toEqual(["cart.shop"]);
  });

  test("changes no hash without a rule with a hash, and none by its ports", () => {
    const [ported, usual] = [fakeService({ ports: [] }), fakeService()];
    expect([...changedHashes([service], momentWith([], [plain]), momentWith([ported], [plain]), {})]).toEqual([]);
    expect([...changedHashes([service], momentWith([usual], rules), momentWith([ported], rules), {})]).toEqual([]);
  });
});
