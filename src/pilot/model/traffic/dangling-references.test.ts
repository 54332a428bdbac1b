import { expect, test } from "vitest";
import { fakeGateway } from "../../../testing/model/fake-gateway.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { fakeRule, fakeVirtualService, forwardTo, mirrorTo } from "../../../testing/model/traffic.ts";
import { danglingReferencesOf } from "./dangling-references.ts";
import type { VirtualService } from "./virtual-service.ts";

const owner = fakeVirtualService().owner;
const subsets = [{ name: "v1", labels: {}, trafficPolicy: undefined }];
const aliases = [{ hostname: "alias.shop", ports: [], owner }];
const push = pushOf({
  services: [fakeService({ aliases })],
  rules: [fakeRule({ host: "*.shop", subsets })],
  gateways: [fakeGateway()],
});

function danglingIn(changes: Partial<VirtualService>): readonly string[] {
  return danglingReferencesOf(fakeVirtualService(changes), push).map(({ type, name }) => `${type} ${name}`);
}

function inSubset(subset: string) {
  return [{ hostname: "cart.shop", subset, port: 80, weight: 0, headers: forwardTo("x").headers }];
}

test.each<[string, Partial<VirtualService>]>([
  ["a service", { http: [forwardTo("cart.shop")] }],
  ["an alias", { http: [forwardTo("alias.shop")] }],
  ["a subset that a rule for many hosts defines", { tcp: [{ matches: [], destinations: inSubset("v1") }] }],
  ["a gateway, and the mesh", { gateways: ["edge/edge", "mesh"] }],
])("a reference to %s does not dangle", (_, changes) => {
  expect(danglingIn(changes)).toEqual([]);
});

test.each<[string, Partial<VirtualService>, readonly string[]]>([
  ["a host", { http: [forwardTo("nobody.shop"), forwardTo("nobody.shop")] }, ["destination nobody.shop"]],
  ["a mirror", { http: [forwardTo("cart.shop", 80, { mirrors: [mirrorTo("m.shop")] })] }, ["destination m.shop"]],
  ["a subset", { tls: [{ matches: [], destinations: inSubset("v9") }] }, ["subset v9 of cart.shop"]],
  ["a gateway", { gateways: ["edge/other"] }, ["gateway edge/other"]],
  ["a delegate", { missingDelegates: ["a/b"] }, ["delegate a/b"]],
])("a reference to %s that does not exist dangles, once", (_, changes, expected) => {
  expect(danglingIn(changes)).toEqual(expected);
});
