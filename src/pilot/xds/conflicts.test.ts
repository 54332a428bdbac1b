import { expect, test } from "vitest";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { fakeGateway, fakeServer } from "../../testing/model/fake-gateway.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../testing/model/push.ts";
import { fakeService } from "../../testing/model/fake-service.ts";
import { fakeRule, fakeVirtualService, forwardTo } from "../../testing/model/traffic.ts";
import { mergeConflicts } from "../model/conflict.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import { conflictsAmong } from "./conflicts.ts";
import { createGenerators } from "./generators.ts";

const generators = createGenerators({ writer: new ProtoWriter() });
const sidecar = proxyWithName("sidecar~10.0.0.1~x.web~web.svc.cluster.local");
const router = proxyWithName("router~10.0.0.2~edge.edge~edge.svc.cluster.local", { LABELS: { app: "edge" } });

/** `type: about, winner over losers`. */
function told(push: PushContext, ...proxies: readonly Proxy[]): readonly string[] {
  const conflicts = mergeConflicts([...conflictsAmong(proxies, generators, push)].flat());
  return conflicts.map(({ type, about, winner, losers }) => `${type}: ${about}, ${winner} over ${losers.join()}`);
}

const http = [forwardTo("cart.shop")];
const virtual = (name: string, gateway: string) => fakeVirtualService({ name, gateways: [gateway], http });

test("virtual services for one host conflict in sidecars, and on a gateway if both have a catch-all route", () => {
  const services = [fakeService({ hostname: "shop.example.com" })];
  const lost = "shop.example.com:80, VirtualService/shop/a over VirtualService/shop/b";
  const inMesh = pushOf({ services, virtualServices: [virtual("a", "mesh"), virtual("b", "mesh")] });
  expect(told(inMesh, sidecar)).toEqual([`virtual-host: ${lost}`]);
  expect(told(inMesh, router)).toEqual([]);
  const gateways = [fakeGateway({ servers: [fakeServer({ port: 80 })] })];
  const atEdge = pushOf({ gateways, virtualServices: [virtual("a", "edge/edge"), virtual("b", "edge/edge")] });
  expect(told(atEdge, router)).toEqual([`virtual-host: ${lost}`]);
  expect(told(atEdge, sidecar)).toEqual([]);
});

test("services of one hostname conflict for namespaces that see both; the own service is preferred", () => {
  const services = ["a", "web"].map((namespace) =>
    fakeService({ namespace, owner: fakeVirtualService({ namespace, name: "s" }).owner }),
  );
  const push = pushOf({ services });
  expect(told(push, sidecar)).toEqual(["service: cart.shop, VirtualService/web/s over VirtualService/a/s"]);
  expect(told(push, router)).toEqual(["service: cart.shop, VirtualService/a/s over VirtualService/web/s"]);
});

test("rules of one host that define the same subset conflict, with or without connected proxies", () => {
  const subsets = [{ name: "v1", labels: {}, trafficPolicy: undefined }];
  const first = fakeRule({ name: "first", subsets });
  const second = fakeRule({ name: "second", subsets });
  const push = pushOf({ rules: [{ ...first, owners: [...first.owners, ...second.owners] }, second] });
  expect(told(push)).toEqual(["subset: v1 of cart.shop, DestinationRule/shop/first over DestinationRule/shop/second"]);
});

test("servers of two gateways conflict over a port", () => {
  const gateways = [
    fakeGateway({ name: "a" }),
    fakeGateway({ name: "b", servers: [fakeServer({ protocol: "TCP", portName: "tcp" })] }),
  ];
  expect(told(pushOf({ gateways }), router)).toEqual([
    expect.stringMatching(/^gateway-server: .*Gateway\/edge\/a over Gateway\/edge\/b$/u),
  ]);
});

test("a part that proxies share is checked once", () => {
  const services = [fakeService({ hostname: "shop.example.com" })];
  const push = pushOf({ services, virtualServices: [virtual("a", "mesh"), virtual("b", "mesh")] });
  const alike = proxyWithName("sidecar~10.0.0.9~y.web~web.svc.cluster.local");
  const overHosts = [...conflictsAmong([sidecar, alike], generators, push)].filter((found) => found.length > 0);
  expect(overHosts).toHaveLength(1);
});
