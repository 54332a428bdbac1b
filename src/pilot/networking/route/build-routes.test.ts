import { expect, test } from "vitest";
import { RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer.ts";
import { fakeCorsPolicy, fakeMatch, fakeVirtualService, forwardTo, mirrorTo } from "../../../testing/mesh-views.ts";
import { messageJson } from "../../../testing/resource-json.ts";
import { defaultMeshSettings as mesh } from "../../model/mesh-settings.ts";
import type { Backend, HttpAction, HttpRoute, VirtualService } from "../../model/virtual-service.ts";
import { buildRoutes } from "./build-routes.ts";
import { selectRoutes } from "./select-routes.ts";

const fraction = { numerator: 5, denominator: 100 } as const;
const fault = { delay: undefined, abort: { status: { type: "http", code: 418 }, fraction } } as const;
const cors = fakeCorsPolicy({ methods: ["GET"] });

function virtual(...http: readonly HttpRoute[]): VirtualService {
  return fakeVirtualService({ gateways: ["mesh"], http });
}

/** The routes that a sidecar has on port 80; whoever names no port means `otherwise`. */
function encoded(virtualService: VirtualService, writer = new ProtoWriter(), otherwise = 80) {
  const selected = selectRoutes(virtualService, { port: 80, gateway: "mesh", labels: {}, namespace: "web" });
  const portOf = ({ port }: Backend) => port ?? otherwise;
  return buildRoutes({ virtualService, selected, listenPort: 80, tls: false, mesh, portOf }, writer);
}

function built(route: HttpRoute) {
  return encoded(virtual(route)).map(({ bytes }) => messageJson(RouteSchema, bytes));
}

test("mirrors get copies in the order in which they stand, with their shares", () => {
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
])("whatever a route does, it may have faults and a CORS policy: $type", (action) => {
  expect(built({ ...forwardTo("cart.shop"), fault, cors, action })).toMatchObject([
    {
      typedPerFilterConfig: {
        "envoy.filters.http.fault": { abort: { httpStatus: 418 } },
        "envoy.filters.http.cors": { allowMethods: "GET" },
      },
    },
  ]);
});

test("a route that asks nothing of filters has nothing to say to them", () => {
  const [plain] = built(forwardTo("cart.shop"));
  expect(plain).not.toHaveProperty("typedPerFilterConfig");
  expect(plain).not.toHaveProperty("route.requestMirrorPolicies");
});

test("the port of a mirror tells routes apart as that of a destination does", () => {
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
