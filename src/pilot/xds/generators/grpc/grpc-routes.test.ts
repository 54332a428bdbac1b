import { expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../../testing/envoy/decoded-resource.ts";
import { proxyWithName } from "../../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../../testing/model/push.ts";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakeMatch, fakeVirtualService, forwardTo } from "../../../../testing/model/traffic.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { HttpRoute, VirtualService } from "../../../model/traffic/virtual-service.ts";
import { grpcRoutes } from "./grpc-routes.ts";

const node = "sidecar~10.0.0.1~web-0.web~web.svc.cluster.local";
const client = proxyWithName(node, { GENERATOR: "grpc" });
const family = grpcRoutes(new ProtoWriter());
const cart = fakeService({ hostname: "cart.web.svc.cluster.local", addresses: ["10.1.0.1"] });
const pay = fakeService({ hostname: "pay.web.svc.cluster.local" });
const names = new Set(["outbound|80||cart.web.svc.cluster.local", "outbound|80||pay.web.svc.cluster.local"]);

function virtual(name: string, hosts: readonly string[], http: readonly HttpRoute[]): VirtualService {
  return fakeVirtualService({ name, hosts, gateways: ["mesh"], http });
}

function made(push: PushContext, proxy: Proxy = client, asked: ReadonlySet<string> | "all" = names) {
  return family.parts(proxy, push, asked).flatMap((inputs) => family.generate({ inputs, push }).resources);
}

const push = pushOf({
  services: [cart, pay],
  virtualServices: [virtual("pay", [pay.hostname], [forwardTo("bank.web", 443)])],
});

test("a service without a virtual service gets its own calls, under every name that a client may use", () => {
  const [routes] = made(push).map(decodedResource);
  const retryPolicy = { retryOn: "unavailable,cancelled", numRetries: 2 };
  expect(routes).toEqual({
    name: "outbound|80||cart.web.svc.cluster.local",
    virtualHosts: [
      {
        name: "cart.web.svc.cluster.local:80",
        domains: expect.arrayContaining([
          "cart.web.svc.cluster.local",
          "cart.web.svc.cluster.local:80",
          "cart.web.svc.cluster.local.:80",
          "cart:80",
          "cart.web:80",
          "cart.web.svc",
          "10.1.0.1:80",
        ]) as unknown,
        routes: [
          { match: { prefix: "/" }, route: { cluster: "outbound|80||cart.web.svc.cluster.local", retryPolicy } },
        ],
      },
    ],
  });
});

test("a virtual service decides where calls to its host go", () => {
  expect(made(push).map(decodedResource)).toMatchObject([
    {},
    { virtualHosts: [{ routes: [{ route: { cluster: "outbound|443||bank.web" } }] }] },
  ]);
  expect(made(push).map(({ owners }) => owners)).toEqual([
    [cart.owner],
    [pay.owner, configId("VirtualService", "shop", "pay")],
  ]);
});

test("routes with source labels are separate for these callers; other labels do not prevent sharing", () => {
  const beta = { ...forwardTo("beta.web"), matches: [{ ...anything, sourceLabels: { ring: "beta" } }] };
  const both = pushOf({ services: [cart], virtualServices: [virtual("cart", [cart.hostname], [beta])] });
  const ring = proxyWithName(node, { GENERATOR: "grpc", LABELS: { ring: "beta", pod: "1" } });
  const other = proxyWithName(node, { GENERATOR: "grpc", LABELS: { ring: "beta", pod: "2" } });
  expect(made(both, ring).map(decodedResource)).toMatchObject([
    { virtualHosts: [{ routes: [{ route: toBeta }] }] },
    {},
  ]);
  expect(made(both).map(decodedResource)).not.toMatchObject([{ virtualHosts: [{ routes: [{ route: toBeta }] }] }, {}]);
  expect(family.parts(ring, both, names)).toEqual(family.parts(other, both, names));
  expect(family.parts(ring, both, names)).not.toEqual(family.parts(client, both, names));
});

test("a changed virtual service changes the routes of its hosts, and the others stay the same objects", () => {
  const changed = pushOf({
    services: [cart, pay],
    virtualServices: [virtual("pay", [pay.hostname], [forwardTo("bank.web", 444)])],
    mesh: push.mesh,
  });
  const [cartBefore, payBefore] = made(push);
  const [cartAfter, payAfter] = made(changed);
  expect(payAfter?.version).not.toBe(payBefore?.version);
  expect(cartAfter?.version).toBe(cartBefore?.version);
});

test("routes of a port that clients may not call exist, and have no destination", () => {
  const asked = new Set([
    "outbound|81||cart.web.svc.cluster.local",
    "outbound|80|v1|cart.web.svc.cluster.local",
    "x:1",
  ]);
  expect(made(push, client, asked).map(decodedResource)).toEqual(
    [...asked].map((name) => ({ name, virtualHosts: [{ name: "blackhole", domains: ["*"] }] })),
  );
});

test("a debug page sees the routes of every port", () => {
  expect(made(push, client, "all").map(({ name }) => name)).toEqual([...names]);
});

const toBeta = { cluster: "outbound|80||beta.web" };
const anything = fakeMatch();
