import { beforeEach, describe, expect, test } from "vitest";
import { RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fakeCorsPolicy, fakeMatch, fakeVirtualService, forwardTo, mirrorTo } from "../../../testing/model/traffic.ts";
import { defaultMeshSettings as mesh } from "../../model/mesh-settings.ts";
import { defaultRouteSettings as settings } from "../../model/proxy/proxy-settings.ts";
import type { AppliedHash } from "../../model/traffic/applied-hash.ts";
import type { HashKey } from "../../model/traffic/destination-rule.ts";
import type {
  Backend,
  Destination,
  DirectResponse,
  HeaderOperations,
  HttpAction,
  HttpRoute,
  VirtualService,
} from "../../model/traffic/virtual-service.ts";
import { buildRoutes } from "./build-routes.ts";
import { selectRoutes } from "./select-routes.ts";

const noChanges = { set: [], add: [], remove: [] } as const;
const fraction = { numerator: 5, denominator: 100 } as const;
const fault = { delay: undefined, abort: { status: { type: "http", code: 418 }, fraction } } as const;
const cors = fakeCorsPolicy({ methods: ["GET"] });

/** The hashes of the hosts in this test. */
const hashes = new Map<string, AppliedHash>();
beforeEach(() => hashes.clear());

function virtual(...http: readonly HttpRoute[]): VirtualService {
  return fakeVirtualService({ gateways: ["mesh"], http });
}

/** The routes of a sidecar on port 80; a destination without a port uses `otherwise`. */
function encoded(virtualService: VirtualService, writer = new ProtoWriter(), otherwise = 80) {
  const selected = selectRoutes(virtualService, { port: 80, gateway: "mesh", labels: {}, namespace: "web" });
  const resolve = ({ port = otherwise, hostname }: Backend) => ({ hostname, port, hash: hashes.get(hostname) });
  return buildRoutes({ virtualService, selected, listenPort: 80, tls: false, mesh, settings, resolve }, writer);
}

function built(route: HttpRoute) {
  return encoded(virtual(route)).map(({ bytes }) => decodedMessage(RouteSchema, bytes));
}

test("mirrors get their shares of requests, in the written order", () => {
  const mirrors = [
    { ...mirrorTo("a.shop"), subset: "v2" },
    { ...mirrorTo("b.shop", 81), fraction },
  ];
  const unmarked = { traceSampled: false, disableShadowHostSuffixAppend: true };
  expect(built(forwardTo("cart.shop", 80, { mirrors }))).toMatchObject([
    {
      route: {
        cluster: "outbound|80||cart.shop",
        requestMirrorPolicies: [
          {
            cluster: "outbound|80|v2|a.shop",
            runtimeFraction: { defaultValue: { numerator: 100 } },
            ...unmarked,
          },
          {
            cluster: "outbound|81||b.shop",
            runtimeFraction: { defaultValue: { numerator: 5 } },
            ...unmarked,
          },
        ],
      },
    },
  ]);
});

test.each<HttpAction>([
  forwardTo("cart.shop").action,
  { type: "direct-response", status: 200, body: "hello" },
  { type: "redirect", authority: "a", path: { type: "replace", value: "" }, scheme: "", port: "default", code: 302 },
])("a route with any action may have faults and a CORS policy: $type", (action) => {
  expect(built({ ...forwardTo("cart.shop"), fault, cors, action })).toMatchObject([
    {
      typedPerFilterConfig: {
        "envoy.filters.http.fault": { abort: { httpStatus: 418 } },
        "envoy.filters.http.cors": { allowMethods: "GET" },
      },
    },
  ]);
});

test("a route without faults and CORS has no filter configuration", () => {
  const [plain] = built(forwardTo("cart.shop"));
  expect(plain).not.toHaveProperty("typedPerFilterConfig");
  expect(plain).not.toHaveProperty("route.requestMirrorPolicies");
});

test("routes whose mirrors have different ports are different", () => {
  const writer = new ProtoWriter();
  const mirrored = virtual(forwardTo("cart.shop", 80, { mirrors: [mirrorTo("a.shop")] }));
  const on80 = encoded(mirrored, writer);
  expect(encoded(mirrored, writer)).toBe(on80);
  expect(encoded(mirrored, writer, 81)).not.toBe(on80);
  const named = virtual(forwardTo("cart.shop", 80, { mirrors: [mirrorTo("a.shop", 80)] }));
  expect(encoded(named, writer, 81)).toBe(encoded(named, writer));
});

/** How many messages it takes to have the routes of two ports. */
function encodingsFor(virtualService: VirtualService): number {
  const writer = new ProtoWriter();
  for (const port of [80, 81]) encoded(virtualService, writer, port);
  return writer.encodings;
}

test("a fault and a policy are encoded once, whatever the matches and ports of their route", () => {
  const matches = ["/a", "/b"].map((value) => fakeMatch({ uri: { type: "prefix", value } }));
  const plain = { ...forwardTo("cart.shop"), matches };
  expect(encodingsFor(virtual({ ...plain, fault, cors })) - encodingsFor(virtual(plain))).toBe(2);
});

describe("requests with consistent hashing", () => {
  const byHeader = appliedHash({ type: "header", name: "x-user" }, "by-header");
  const byAddress = appliedHash({ type: "source-ip" }, "by-address");

  test.each<[string, HashKey, unknown]>([
    ["header", { type: "header", name: "x-user" }, { header: { headerName: "x-user" } }],
    [
      "cookie",
      {
        type: "cookie",
        name: "session",
        path: "/",
        ttl: { seconds: 60n, nanos: 0 },
        attributes: [{ name: "Secure", value: "" }],
      },
      { cookie: { name: "session", path: "/", ttl: "60s", attributes: [{ name: "Secure" }] } },
    ],
    ["address", { type: "source-ip" }, { connectionProperties: { sourceIp: true } }],
    ["parameter of the query", { type: "query-parameter", name: "q" }, { queryParameter: { name: "q" } }],
  ])("are hashed by their %s", (_, key, policy) => {
    hashes.set("cart.shop", appliedHash(key, "rule"));
    expect(built(forwardTo("cart.shop"))).toMatchObject([{ route: { hashPolicy: [policy] } }]);
  });

  test("have no hash policy if the key has no name, because Envoy would reject it", () => {
    hashes.set("cart.shop", appliedHash({ type: "header", name: "" }, "rule"));
    expect(built(forwardTo("cart.shop"))[0]).not.toHaveProperty("route.hashPolicy");
  });

  test("are hashed by the keys of all destinations with weight, in order, and the rules are owners", () => {
    hashes.set("a.shop", byHeader).set("b.shop", byAddress).set("c.shop", byHeader);
    const destinations = [
      { ...destinationTo("a.shop"), weight: 1 },
      { ...destinationTo("b.shop"), weight: 2 },
      { ...destinationTo("c.shop"), weight: 0 },
    ];
    const route = forwardTo("a.shop", 80, { destinations });
    expect(built(route)).toMatchObject([
      { route: { hashPolicy: [{ header: { headerName: "x-user" } }, { connectionProperties: { sourceIp: true } }] } },
    ]);
    expect(encoded(virtual(route))[0]?.owners).toContain("DestinationRule/shop/by-address");
  });

  test("are retried at the same endpoint if there is one destination", () => {
    hashes.set("a.shop", byHeader);
    expect(built(forwardTo("a.shop"))[0]).not.toHaveProperty("route.retryPolicy.retryHostPredicate");
    expect(built(forwardTo("plain.shop"))[0]).toHaveProperty("route.retryPolicy.retryHostPredicate");
  });

  test("have their own routes: each hash is encoded separately", () => {
    const writer = new ProtoWriter();
    const sent = virtual(forwardTo("a.shop"));
    hashes.set("a.shop", byHeader);
    const first = encoded(sent, writer);
    expect(encoded(sent, writer)).toBe(first);
    hashes.set("a.shop", byAddress);
    expect(encoded(sent, writer)).not.toBe(first);
  });
});

test("destinations without any weight get no requests, and Envoy accepts the routes", () => {
  const destinations = ["a.shop", "b.shop"].map(destinationTo);
  expect(built(forwardTo("a.shop", 80, { destinations }))).toMatchObject([{ route: { cluster: "BlackHoleCluster" } }]);
});

function appliedHash(key: HashKey, rule: string): AppliedHash {
  return { hash: { key, algorithm: "ring-hash", size: 1024 }, owners: [configId("DestinationRule", "shop", rule)] };
}

function adding(name: string): HeaderOperations {
  return { request: { set: [], add: [[name, "1"]], remove: [name] }, response: noChanges };
}

function destinationTo(hostname: string): Destination {
  const { action } = forwardTo(hostname, 80);
  if (action.type !== "forward" || action.destinations[0] === undefined) throw new Error("it forwards");
  return action.destinations[0];
}

test("a route is named after itself and its match, has its own statistics, and names its source object", () => {
  const match = fakeMatch({ name: "leaf", statPrefix: "counted", uri: { type: "prefix", value: "/a" } });
  expect(built({ ...forwardTo("cart.shop"), name: "root", matches: [match] })).toMatchObject([
    {
      name: "root.leaf",
      statPrefix: "counted",
      decorator: { operation: "cart.shop:80/a*" },
      metadata: {
        filterMetadata: {
          istio: { config: "/apis/networking.istio.io/v1/namespaces/shop/virtual-service/cart" },
        },
      },
    },
  ]);
});

test.each<[string, DirectResponse["body"], object]>([
  ["a text", "hello", { inlineString: "hello" }],
  ["bytes", new Uint8Array([1, 2]), { inlineBytes: "AQI=" }],
])("a route may respond directly with %s", (_, body, expected) => {
  const action = { type: "direct-response", status: 451, body } as const;
  expect(built({ ...forwardTo("x"), action })).toMatchObject([{ directResponse: { status: 451, body: expected } }]);
  const silent = { ...action, body: undefined };
  expect(built({ ...forwardTo("x"), action: silent })[0]).not.toHaveProperty("directResponse.body");
});

test("a redirect with a status that Envoy does not support is left out, and the other routes stay", () => {
  const path = { type: "replace", value: "/" } as const;
  const odd = { type: "redirect", authority: "", path, scheme: "", port: "default", code: 399 } as const;
  const matches = [fakeMatch({ uri: { type: "exact", value: "/odd" } })];
  const routes = encoded(virtual({ ...forwardTo("x"), matches, action: odd }, forwardTo("cart.shop")));
  expect(routes.map(({ catchAll }) => catchAll)).toEqual([true]);
});

test("the headers of the only destination are changed after those of the route", () => {
  const destinations = [{ ...destinationTo("cart.shop"), headers: adding("x-b") }];
  const [route] = built({ ...forwardTo("cart.shop", 80, { destinations }), headers: adding("x-a") });
  expect(route).toMatchObject({
    requestHeadersToAdd: [{ header: { key: "x-a" } }, { header: { key: "x-b" } }],
    requestHeadersToRemove: ["x-a", "x-b"],
  });
});
