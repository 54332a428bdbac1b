import { expect, test } from "vitest";
import { fakeMatch, fakeVirtualService, forwardTo } from "../../../testing/model/traffic.ts";
import type { HttpMatch, HttpRoute } from "../../model/traffic/virtual-service.ts";
import { selectRoutes } from "./select-routes.ts";

const match = fakeMatch({ uri: { type: "prefix", value: "/a" } });
const everything = fakeMatch();

function route(...matches: readonly Partial<HttpMatch>[]): HttpRoute {
  return { ...forwardTo("cart.shop"), matches: matches.map((changes) => ({ ...match, ...changes })) };
}

/** The positions of the routes that a router in namespace `edge` gets on port 80. */
function positions(...http: readonly HttpRoute[]): readonly string[] {
  const context = { port: 80, gateway: "edge/edge", labels: { app: "edge" }, namespace: "edge" };
  return selectRoutes(fakeVirtualService({ http }), context).map(
    ({ position: { route, match } }) => `${route}.${match}`,
  );
}

test.each<[string, Partial<HttpMatch>, boolean]>([
  ["another port", { port: 81 }, false],
  ["this port", { port: 80 }, true],
  ["another gateway", { gateways: ["mesh"] }, false],
  ["this gateway, whatever the source", { gateways: ["mesh", "edge/edge"], sourceNamespace: "web" }, true],
  ["other labels", { sourceLabels: { app: "web" } }, false],
  ["its labels and namespace", { sourceLabels: { app: "edge" }, sourceNamespace: "edge" }, true],
  ["another namespace", { sourceNamespace: "web" }, false],
])("a match for %s", (_, changes, applies) => {
  expect(positions(route(changes))).toEqual(applies ? ["0.0"] : []);
});

test.each<[string, HttpRoute, boolean]>([
  ["without matches", route(), true],
  ["with an empty match", route(everything), true],
  ["for the prefix /", route({ uri: { type: "prefix", value: "/" } }), true],
  ["for the regex .*", route({ uri: { type: "regex", value: ".*" } }), true],
  ["for a path", route({ uri: { type: "exact", value: "/" } }), false],
  ["for a method", route({ ...everything, method: { type: "exact", value: "GET" } }), false],
  ["for a header", route({ ...everything, headers: [{ name: "x", match: { type: "present" } }] }), false],
])("nothing comes after a route %s: %#", (_, first, stops) => {
  expect(positions(first, route({})).includes("1.0")).toBe(!stops);
});
