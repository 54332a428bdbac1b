import { describe, expect, test } from "vitest";
import { fakeGateway, fakeServer, pushOf } from "../../testing/mesh-views.ts";
import type { Server } from "./gateway.ts";
import { httpRouteName, mergedGatewayFor, mergeGateways } from "./merged-gateway.ts";

const simple = { httpsRedirect: false, passthrough: false };
const a = { namespace: "*", hostname: "a.com" };
const b = { namespace: "*", hostname: "b.com" };

function accepted(...servers: readonly Server[]): readonly number[] {
  return mergeGateways([fakeGateway({ servers })]).ports.map((port) => port.servers.length);
}

describe("servers on one port", () => {
  test.each<[string, readonly Server[], readonly number[]]>([
    ["share it if all speak HTTP", [fakeServer(), fakeServer({ protocol: "GRPC" })], [2]],
    ["lose it to the first if they speak TCP", [fakeServer(), fakeServer({ protocol: "TCP" })], [1]],
    ["do not mix TLS with plain HTTP", [fakeServer(), fakeServer({ protocol: "HTTPS", tls: simple })], [1]],
    [
      "share it by SNI if all speak TLS",
      [
        fakeServer({ protocol: "HTTPS", tls: simple, hosts: [a] }),
        fakeServer({ protocol: "TLS", tls: simple, hosts: [b] }),
      ],
      [2],
    ],
    [
      "do not repeat a host under TLS",
      [
        fakeServer({ protocol: "HTTPS", tls: simple, hosts: [a] }),
        fakeServer({ protocol: "HTTPS", tls: simple, hosts: [a, b] }),
      ],
      [1],
    ],
    ["are apart if they listen on different addresses", [fakeServer(), fakeServer({ bind: "10.0.0.1" })], [1, 1]],
    ["are apart if their ports differ", [fakeServer(), fakeServer({ port: 80 })], [1, 1]],
  ])("%s", (_, servers, expected) => {
    expect(accepted(...servers)).toEqual(expected);
  });

  test("the oldest gateway comes first", () => {
    const young = fakeGateway({ name: "a-young", createdAt: 2, servers: [fakeServer({ protocol: "TCP" })] });
    const old = fakeGateway({ name: "z-old", createdAt: 1 });
    const names = mergeGateways([young, old]).ports.flatMap((port) => port.servers.map(({ gateway }) => gateway.name));
    expect(names).toEqual(["z-old"]);
  });
});

test("gateways apply to proxies with their labels, and without a selector to all", () => {
  const everybody = fakeGateway({ name: "all", selector: {}, servers: [fakeServer({ port: 1 })] });
  const push = pushOf({ gateways: [everybody, fakeGateway()] });
  expect(mergedGatewayFor({ app: "edge", v: "1" }, push).ports.map(({ port }) => port)).toEqual([1, 8080]);
  expect(mergedGatewayFor({ app: "other" }, push).ports.map(({ port }) => port)).toEqual([1]);
});

test("plain HTTP ports have one route configuration, named by port and address", () => {
  const servers = [fakeServer(), fakeServer({ bind: "10.0.0.1" }), fakeServer({ port: 9, protocol: "TCP" })];
  const names = mergeGateways([fakeGateway({ servers })]).ports.map(httpRouteName);
  expect(names).toEqual([undefined, "http.8080", "http.8080.10.0.0.1"]);
});
