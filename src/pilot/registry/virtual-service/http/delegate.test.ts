import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type HTTPRoute, HTTPRouteSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fakeMatch } from "../../../../testing/model/traffic.ts";
import type { HttpMatch } from "../../../model/traffic/virtual-service.ts";
import { mergeDelegated } from "./delegate.ts";
import { type WrittenRoute, writtenRouteOf } from "./written-route.ts";

type RouteInit = Exclude<MessageInitShape<typeof HTTPRouteSchema>, HTTPRoute>;

function route(init: RouteInit, matches: readonly HttpMatch[] = []): WrittenRoute {
  const source = { namespace: "shop", domain: "cluster.local", prefixes: "texts" } as const;
  return { ...writtenRouteOf(create(HTTPRouteSchema, init), source), matches };
}

function merged(root: readonly HttpMatch[], own: readonly HttpMatch[]): readonly HttpMatch[] | undefined {
  return mergeDelegated(route({}, root), route({}, own))?.matches;
}

const exact = (value: string) => ({ type: "exact", value }) as const;
const prefix = (value: string) => ({ type: "prefix", value }) as const;
const regex = (value: string) => ({ type: "regex", value }) as const;
const header = (value: string) => ({ name: "x-user", match: exact(value) });

describe("a delegate's match within a match of the root", () => {
  test.each<[string, Partial<HttpMatch>, Partial<HttpMatch>, Partial<HttpMatch>]>([
    ["narrows a prefix", { uri: prefix("/a") }, { uri: prefix("/a/b") }, { uri: prefix("/a/b") }],
    ["names a path below a prefix", { uri: prefix("/a") }, { uri: exact("/a/b") }, { uri: exact("/a/b") }],
    ["repeats a path", { uri: exact("/a") }, { uri: exact("/a") }, { uri: exact("/a") }],
    ["takes over what it does not say", { uri: prefix("/a"), method: exact("GET") }, {}, { uri: prefix("/a") }],
    ["adds to the headers", { headers: [header("a")] }, { withoutHeaders: [header("b")] }, { headers: [header("a")] }],
    [
      "narrows a header",
      { headers: [{ name: "x", match: prefix("a") }] },
      { headers: [{ name: "x", match: exact("ab") }] },
      { headers: [{ name: "x", match: exact("ab") }] },
    ],
    [
      "adds labels",
      { sourceLabels: { app: "x" } },
      { sourceLabels: { v: "1" } },
      { sourceLabels: { app: "x", v: "1" } },
    ],
    ["chooses among gateways", { gateways: ["a/x", "mesh"] }, { gateways: ["mesh"] }, { gateways: ["mesh"] }],
    ["takes over gateways and port", { gateways: ["a/x"], port: 80 }, {}, { gateways: ["a/x"], port: 80 }],
    ["joins the names", { name: "root" }, { name: "leaf" }, { name: "root-leaf" }],
    ["keeps the only name", { name: "root", statPrefix: "s" }, {}, { name: "root", statPrefix: "s" }],
  ])("%s", (_, root, own, expected) => {
    expect(merged([fakeMatch(root)], [fakeMatch(own)])).toMatchObject([expected]);
  });

  test.each<[string, Partial<HttpMatch>, Partial<HttpMatch>]>([
    ["a prefix elsewhere", { uri: prefix("/a/b") }, { uri: prefix("/a") }],
    ["a path elsewhere", { uri: prefix("/a") }, { uri: exact("/b") }],
    ["a prefix for a path", { uri: exact("/a") }, { uri: prefix("/a") }],
    ["another path", { uri: exact("/a") }, { uri: exact("/b") }],
    ["a regex, here", { uri: prefix("/a") }, { uri: regex("/a.*") }],
    ["a regex, there", { uri: regex("/a.*") }, { uri: exact("/ab") }],
    ["another method", { method: exact("GET") }, { method: exact("PUT") }],
    ["another authority", { authority: exact("a") }, { authority: exact("b") }],
    ["another scheme", { scheme: exact("http") }, { scheme: exact("https") }],
    ["another value of a header", { headers: [header("a")] }, { headers: [header("b")] }],
    ["another value of an unwanted header", { withoutHeaders: [header("a")] }, { withoutHeaders: [header("b")] }],
    ["another value of a parameter", { queryParams: [header("a")] }, { queryParams: [header("b")] }],
    ["another way to compare letters", { ignoreUriCase: true }, {}],
    ["another port", { port: 80 }, { port: 81 }],
    ["another source namespace, or none", { sourceNamespace: "a" }, {}],
    ["another value of a label", { sourceLabels: { app: "x" } }, { sourceLabels: { app: "y" } }],
    ["a gateway that the root does not name", { gateways: ["mesh"] }, { gateways: ["mesh", "a/x"] }],
  ])("contradicts with %s, and drops its route", (_, root, own) => {
    expect(merged([fakeMatch(root)], [fakeMatch(own)])).toBeUndefined();
  });
});

test("each match of a delegate is combined with each match of the root, and must be compatible with one of them", () => {
  const root = [fakeMatch({ uri: prefix("/a") }), fakeMatch({ method: exact("GET") })];
  expect(merged(root, [fakeMatch({ uri: prefix("/a/b") }), fakeMatch({ uri: prefix("/c") })])).toMatchObject([
    { uri: prefix("/a/b"), method: undefined },
    { uri: prefix("/a/b"), method: exact("GET") },
    { uri: prefix("/c"), method: exact("GET") },
  ]);
  expect(
    merged(root, [fakeMatch({ uri: prefix("/a/b") }), fakeMatch({ uri: prefix("/c"), method: exact("PUT") })]),
  ).toBe(undefined);
});

test("a root or delegate without a match uses the matches of the other", () => {
  const some = [fakeMatch({ uri: prefix("/a") })];
  expect(merged([], some)).toEqual(some);
  expect(merged(some, [])).toEqual(some);
});

test("fields that a delegate does not set come from the route that delegates", () => {
  const said: RouteInit = {
    name: "root",
    timeout: { seconds: 1n },
    retries: { attempts: 3 },
    rewrite: { uri: "/r" },
    mirror: { host: "m" },
    mirrorPercentage: { value: 5 },
    headers: { request: { set: { a: "b" } } },
    corsPolicy: { allowMethods: ["GET"] },
    fault: { abort: { errorType: { case: "httpStatus", value: 418 }, percentage: { value: 1 } } },
  };
  const root = route(said);
  expect(mergeDelegated(root, route({}))).toEqual(root);
  const other = route({ ...said, name: "leaf", timeout: { seconds: 2n }, rewrite: { uri: "/s" } });
  expect(mergeDelegated(root, other)).toEqual({ ...other, name: "root-leaf" });
});
