import { describe, expect, test } from "vitest";
import { fakeGateway, fakeServer } from "../../testing/model/fake-gateway.ts";
import { fakeService } from "../../testing/model/fake-service.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { type Mesh, pushOf } from "../../testing/model/push.ts";
import { fakeVirtualService } from "../../testing/model/traffic.ts";
import type { Lookup } from "./near-miss.ts";
import { nearMissesFor } from "./near-misses-for.ts";

const sidecar = proxyWithName("sidecar~10.0.0.1~web-0.shop~shop.svc.cluster.local");
const router = proxyWithName("router~10.0.0.2~edge-0.edge~edge.svc.cluster.local", { LABELS: { app: "edge" } });

function misses(proxy: typeof sidecar, mesh: Mesh, { host, clusters = [] }: Partial<Lookup>): readonly string[] {
  const lookup: Lookup = { clusters, ...(host !== undefined && { host }) };
  return nearMissesFor({ proxy, push: pushOf(mesh) }, lookup).map(({ object, why }) => `${object} ${why}`);
}

const wanted = { hostname: "shop.example.com", port: 8080, http: true };

describe("an object appears once in near misses", () => {
  test("when requests fail at two clusters of one service", () => {
    const services = [fakeService({ ports: [80, 81].map((number) => port(number, "HTTP")) })];
    const clusters = ["outbound|80||cart.shop", "outbound|81||cart.shop"];
    expect(misses(sidecar, { services }, { clusters })).toEqual(["ServiceEntry/shop/cart has no endpoints"]);
  });

  test("when two of its hosts have the same short name", () => {
    const services = ["cart.one.example", "cart.two.example"].map((hostname) => fakeService({ hostname }));
    expect(misses(sidecar, { services }, { host: { ...wanted, hostname: "cart" } })).toEqual([
      "ServiceEntry/shop/cart has port 80 (http), not 8080",
    ]);
  });
});

describe("a port that does not speak HTTP", () => {
  const services = [fakeService({ ports: [port(80, "TCP")] })];
  const host = { hostname: "cart.shop", port: 80 };

  test("is a near miss of an HTTP request", () => {
    expect(misses(sidecar, { services }, { host: { ...host, http: true } })).toEqual([
      "ServiceEntry/shop/cart declares port 80 (http) as TCP: requests there are not routed",
    ]);
  });

  test("is no near miss of a TCP connection", () => {
    expect(misses(sidecar, { services }, { host: { ...host, http: false } })).toEqual([]);
  });
});

describe("a VirtualService", () => {
  const gateways = [fakeGateway()];

  test("with a similar host is a near miss only on its own gateways", () => {
    const near = fakeVirtualService({ hosts: ["shp.example.com"] });
    const why = "VirtualService/shop/cart has host shp.example.com, which is similar to shop.example.com";
    expect(misses(router, { gateways, virtualServices: [near] }, { host: wanted })).toEqual([why]);
    const elsewhere = { ...near, gateways: ["edge/other"] };
    expect(misses(router, { gateways, virtualServices: [elsewhere] }, { host: wanted })).toEqual([]);
  });

  test("with a wildcard host is no near miss of another host", () => {
    const virtualServices = [fakeVirtualService({ hosts: ["*.exmple.com"] })];
    expect(misses(router, { gateways, virtualServices }, { host: wanted })).toEqual([]);
  });

  test("of the mesh needs no Gateway server", () => {
    const virtualServices = [fakeVirtualService({ gateways: ["mesh"] })];
    expect(misses(sidecar, { virtualServices }, { host: wanted })).toEqual([]);
  });

  test("is no near miss if one host of its Gateway accepts it", () => {
    const hosts = ["pay.example.com", "*.example.com"].map((hostname) => ({ namespace: "*", hostname }));
    const virtualServices = [fakeVirtualService()];
    const open = [fakeGateway({ servers: [fakeServer({ hosts })] })];
    expect(misses(router, { gateways: open, virtualServices }, { host: wanted })).toEqual([]);
    const others = hosts.map((host) => ({ ...host, namespace: "edge" }));
    const closed = [fakeGateway({ servers: [fakeServer({ hosts: others })] })];
    expect(misses(router, { gateways: closed, virtualServices }, { host: wanted })).toEqual([
      "VirtualService/shop/cart has host shop.example.com, which no server of edge/edge takes from namespace shop",
    ]);
  });
});

function port(number: number, protocol: "HTTP" | "TCP") {
  return { number, name: "http", protocol, targetPort: number };
}
