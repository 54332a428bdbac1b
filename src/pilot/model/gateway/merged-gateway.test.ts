import { describe, expect, test } from "vitest";
import type { Labels } from "../../../config/config.ts";
import { fakeGateway, fakeServer, fakeServerTls } from "../../../testing/model/fake-gateway.ts";
import { pushOf } from "../../../testing/model/push.ts";
import type { PushContext } from "../push-context.ts";
import type { GatewayServer } from "./gateway.ts";
import { mergedGatewayFor, mergeGateways, routeTablesOf } from "./merged-gateway.ts";
import { noTranslation } from "./port-translation.ts";

const simple = fakeServerTls();
const passthrough = fakeServerTls({ mode: "passthrough" });
const a = { namespace: "*", hostname: "a.com" };
const b = { namespace: "*", hostname: "b.com" };

function accepted(...servers: readonly GatewayServer[]): readonly number[] {
  return mergeGateways([fakeGateway({ servers })]).ports.map((port) => port.servers.length);
}

describe("servers on one port", () => {
  test.each<[string, readonly GatewayServer[], readonly number[]]>([
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
    [
      "do not repeat one for virtual services of another namespace either, where TLS ends",
      [
        fakeServer({ protocol: "HTTPS", tls: simple, hosts: [{ ...a, namespace: "x" }] }),
        fakeServer({ protocol: "TLS", tls: simple, hosts: [{ ...a, namespace: "y" }] }),
      ],
      [1],
    ],
    [
      "may do so where TLS is passed on: what it asks for is in the virtual services",
      [
        fakeServer({ protocol: "TLS", tls: passthrough, hosts: [{ ...a, namespace: "x" }] }),
        fakeServer({ protocol: "TLS", tls: passthrough, hosts: [{ ...a, namespace: "y" }] }),
      ],
      [2],
    ],
    [
      "do not share the name of a port where each has routes of its own",
      [
        fakeServer({ protocol: "HTTPS", tls: simple, hosts: [a] }),
        fakeServer({ protocol: "HTTPS", tls: simple, hosts: [b] }),
        fakeServer({ protocol: "HTTPS", tls: simple, hosts: [b], portName: "https-b" }),
      ],
      [2],
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
  expect(portsOf({ app: "edge", v: "1" }, "edge", push)).toEqual([1, 8080]);
  expect(portsOf({ app: "other" }, "edge", push)).toEqual([1]);
});

test("a gateway that is scoped to its namespace applies to no proxy of another one", () => {
  const scoped = fakeGateway({ selectsIn: "edge" });
  const open = fakeGateway({ name: "open", servers: [fakeServer({ port: 1 })] });
  const push = pushOf({ gateways: [scoped, open] });
  expect(portsOf({ app: "edge" }, "edge", push)).toEqual([1, 8080]);
  expect(portsOf({ app: "edge" }, "shop", push)).toEqual([1]);
});

function portsOf(labels: Labels, namespace: string, push: PushContext): readonly number[] {
  return mergedGatewayFor({ namespace, labels, translation: noTranslation }, push).ports.map(({ port }) => port);
}

test("a conflict names the ignored server and the earlier winner", () => {
  const first = fakeGateway({ name: "first" });
  const second = fakeGateway({ name: "second", createdAt: 1, servers: [fakeServer({ protocol: "TCP" })] });
  expect(mergeGateways([second, first]).conflicts).toEqual([
    {
      type: "gateway-server",
      about: "*:8080",
      winner: first.owner,
      losers: [second.owner],
      reason: expect.any(String),
    },
  ]);
});

test("servers of different ports share a listener port if the router's service maps both ports to it", () => {
  const servers = [fakeServer({ port: 80 }), fakeServer()];
  const { ports } = mergeGateways([fakeGateway({ servers })], new Map([[80, 8080]]));
  expect(ports.map(({ port, servers: { length } }) => [port, length])).toEqual([[8080, 2]]);
});

test("plain HTTP servers of a port share one route configuration, each HTTPS server has its own, named by its declared port", () => {
  const https = { protocol: "HTTPS", tls: simple } as const;
  const servers = [
    fakeServer({ port: 80 }),
    fakeServer({ bind: "10.0.0.1" }),
    fakeServer({ port: 9, protocol: "TCP" }),
    fakeServer({ ...https, port: 443, portName: "a", hosts: [a] }),
    fakeServer({ ...https, port: 443, portName: "b", hosts: [b] }),
    fakeServer({ ...https, port: 444, portName: "c", bind: "10.0.0.1" }),
    fakeServer({ port: 445, protocol: "HTTPS", tls: passthrough }),
  ];
  const { ports } = mergeGateways([fakeGateway({ servers })], new Map([[443, 8443]]));
  const names = ports.flatMap(routeTablesOf).map(({ name }) => name);
  expect(names).toEqual([
    "http.80",
    "https.444.c.edge.edge.10.0.0.1",
    "http.8080.10.0.0.1",
    "https.443.a.edge.edge",
    "https.443.b.edge.edge",
  ]);
});
