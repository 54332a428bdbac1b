import { expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer.ts";
import { fakeEndpoint, fakeService, pushOf } from "../../../../testing/mesh-views.ts";
import { proxyNamed } from "../../../../testing/proxy-named.ts";
import { resourceJson } from "../../../../testing/resource-json.ts";
import { grpcServerListeners } from "./grpc-server-listeners.ts";

const server = proxyNamed("sidecar~10.0.0.5~cart-0.shop~shop.svc.cluster.local", { GENERATOR: "grpc" });
const family = grpcServerListeners(new ProtoWriter());
const endpoints = [fakeEndpoint({ port: 8080 }), fakeEndpoint({ address: "10.0.0.6", port: 9090 })];
const push = pushOf({
  services: [fakeService()],
  endpoints: [{ hostname: "cart.shop", namespace: "shop", endpoints, owners: [] }],
});

function name(address: string): string {
  return `xds.istio.io/grpc/lds/inbound/${address}`;
}

function made(...asked: readonly string[]) {
  return family.parts(server, push, new Set(asked)).flatMap((inputs) => family.generate({ inputs, push }).resources);
}

test.each([
  ["0.0.0.0:8080", "0.0.0.0"],
  ["10.0.0.5:8080", "10.0.0.5"],
  ["[::]:8080", "::"],
])("a server at %s may serve there what its workload serves", (written, address) => {
  const listeners = made(name(written));
  expect(listeners.map(({ owners }) => owners)).toEqual([[configId("ServiceEntry", "shop", "cart")]]);
  expect(listeners.map(resourceJson)).toMatchObject([
    { name: name(written), address: { socketAddress: { address, portValue: 8080 } } },
  ]);
});

test.each(["0.0.0.0:80", "0.0.0.0:9090", "8080", ""])("there is nothing to serve at %o", (written) => {
  expect(made(name(written))).toEqual([]);
});

test("a part waits for what its own workload will serve", () => {
  const [part, ...others] = family.parts(server, push, new Set([name("0.0.0.0:9090"), "cart:80"]));
  if (part === undefined) throw new Error("a server has a part");
  expect(others).toEqual([]);
  expect(part.names).toEqual([name("0.0.0.0:9090")]);
  const scope = family.scope(part, push);
  expect(scope.dependsOn(configId("Instance", "", "10.0.0.5"))).toBe(true);
  expect(scope.dependsOn(configId("Instance", "", "10.0.0.6"))).toBe(false);
});

test("clients have no such part", () => {
  expect(family.parts(server, push, new Set(["cart:80"]))).toEqual([]);
  expect(family.parts(server, push, "all")).toEqual([]);
});
