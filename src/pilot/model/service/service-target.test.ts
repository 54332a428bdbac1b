import { expect, test } from "vitest";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { targetsOf } from "./service-target.ts";

const cart = fakeService();
const workload = { addresses: ["10.0.0.5"], namespace: "shop", labels: {} };

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
