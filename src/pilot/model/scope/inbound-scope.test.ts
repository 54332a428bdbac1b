import { expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/service.ts";
import { targetsOf } from "../service/service-target.ts";
import { inboundScopeFor } from "./inbound-scope.ts";

const cart = fakeService();
const workload = { addresses: ["10.0.0.5"], namespace: "shop", labels: {} };
const noSidecar = { namespace: "shop", sidecar: "" };

function endpointsOf(service: { readonly hostname: string; readonly namespace: string }, port: number) {
  const { hostname, namespace } = service;
  return { hostname, namespace, endpoints: [fakeEndpoint({ address: "10.0.0.5", port })], owners: [] };
}

test("a workload serves services of its namespace with an endpoint at its address, by target port", () => {
  const old = fakeService({ hostname: "old.shop", createdAt: -1 });
  const stranger = fakeService({ hostname: "evil.bank", namespace: "bank" });
  const push = pushOf({
    services: [cart, old, stranger],
    endpoints: [endpointsOf(cart, 8080), endpointsOf(old, 8080), endpointsOf(stranger, 8080)],
  });
  const found = targetsOf(workload, push);
  expect(found.map(({ service, targetPort }) => [service.hostname, targetPort])).toEqual([
    ["old.shop", 8080],
    ["cart.shop", 8080],
  ]);
  expect(targetsOf({ ...workload, addresses: ["10.0.0.6"] }, push)).toEqual([]);
  expect(targetsOf(workload, push)).toBe(found);
});

test("the inbound side depends only on the address, on the services it serves and on their rules", () => {
  const push = pushOf({ services: [cart], endpoints: [endpointsOf(cart, 80)] });
  const scope = inboundScopeFor(workload, noSidecar, push);
  expect(scope.service("cart.shop")).toBe(cart);
  expect(scope.dependsOn(configId("Instance", "", "10.0.0.5"))).toBe(true);
  expect(scope.dependsOn(configId("Instance", "", "10.0.0.6"))).toBe(false);
  expect(scope.dependsOn(configId("Service", "shop", "cart.shop"))).toBe(true);
  expect(scope.dependsOn(configId("Service", "shop", "pay.shop"))).toBe(false);
  expect(scope.dependsOn(configId("DestinationRule", "shop", "any"))).toBe(true);
  expect(scope.dependsOn(configId("VirtualService", "shop", "any"))).toBe(false);
  const idle = inboundScopeFor({ ...workload, addresses: ["10.0.0.7"] }, noSidecar, push);
  expect(idle.dependsOn(configId("DestinationRule", "shop", "any"))).toBe(false);
});
