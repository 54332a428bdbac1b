import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type RedirectActionSchema,
  RedirectAction_RedirectResponseCode as ResponseCode,
  type RouteActionSchema,
  RouteSchema,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { Literal, RouteInit } from "../../testing/envoy/toy-envoy-config.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { outcomeOf } from "./route-action.ts";

type Redirect = Literal<typeof RedirectActionSchema>;

const under = { pathSpecifier: { case: "prefix" as const, value: "/old" } };

function outcome(action: NonNullable<RouteInit["action"]>, changes: Partial<SimulatedRequest> = {}) {
  const request = { host: "shop:8080", port: 80, path: "/old/x?q=1", method: "GET", headers: {}, ...changes };
  return outcomeOf(create(RouteSchema, { match: under, action }), request);
}

function locationOf(value: Redirect, changes: Partial<SimulatedRequest> = {}): string | undefined {
  const result = outcome({ case: "redirect", value }, changes);
  return result.type === "redirect" ? result.location : undefined;
}

function pathRedirect(value: string): Redirect {
  return { pathRewriteSpecifier: { case: "pathRedirect", value } };
}

describe("a redirect", () => {
  const https = { schemeRewriteSpecifier: { case: "schemeRedirect", value: "https" } } as const;
  const prefixRewrite: Redirect = { pathRewriteSpecifier: { case: "prefixRewrite", value: "/new" } };
  test.each<[string, Redirect, Partial<SimulatedRequest>, string]>([
    ["keeps the parts that it does not set", {}, {}, "http://shop:8080/old/x?q=1"],
    ["another scheme", https, {}, "https://shop:8080/old/x?q=1"],
    ["drops the default port of the old scheme", https, { host: "shop:80" }, "https://shop/old/x?q=1"],
    ["keeps the port with the same scheme", {}, { host: "shop:80" }, "http://shop:80/old/x?q=1"],
    [
      "to TLS",
      { schemeRewriteSpecifier: { case: "httpsRedirect", value: true } },
      { host: "shop" },
      "https://shop/old/x?q=1",
    ],
    ["from TLS", {}, { protocol: "tls" }, "https://shop:8080/old/x?q=1"],
    ["another port", { portRedirect: 8443 }, {}, "http://shop:8443/old/x?q=1"],
    ["another host", { hostRedirect: "www" }, {}, "http://www/old/x?q=1"],
    ["another path keeps the query", pathRedirect("/new"), {}, "http://shop:8080/new?q=1"],
    ["another path with a query replaces the query", pathRedirect("/new?a"), {}, "http://shop:8080/new?a"],
    ["another path may drop the query", { ...pathRedirect("/new"), stripQuery: true }, {}, "http://shop:8080/new"],
    ["an empty path keeps the path", pathRedirect(""), {}, "http://shop:8080/old/x?q=1"],
    ["another prefix", prefixRewrite, {}, "http://shop:8080/new/x?q=1"],
    [
      "a path by regex",
      {
        pathRewriteSpecifier: {
          case: "regexRewrite",
          value: { pattern: { regex: "/(o)ld/(y)?" }, substitution: "/\\1\\2\\0/" },
        },
      },
      {},
      "http://shop:8080/o/old//x?q=1",
    ],
  ])("%s", (_, redirect, changes, expected) => {
    expect(locationOf(redirect, changes)).toBe(expected);
  });

  test.each([
    [ResponseCode.MOVED_PERMANENTLY, 301],
    [ResponseCode.FOUND, 302],
    [ResponseCode.SEE_OTHER, 303],
    [ResponseCode.TEMPORARY_REDIRECT, 307],
    [ResponseCode.PERMANENT_REDIRECT, 308],
  ])("with code %i has the status %i", (responseCode, status) => {
    expect(outcome({ case: "redirect", value: { responseCode } })).toMatchObject({ type: "redirect", status });
  });
});

describe("a route", () => {
  type Specifier = NonNullable<Literal<typeof RouteActionSchema>["clusterSpecifier"]>;
  const forward = (clusterSpecifier: Specifier, headers: Record<string, string> = {}) =>
    outcome({ case: "route", value: { clusterSpecifier } }, { headers });

  test("may answer directly", () => {
    const body = { specifier: { case: "inlineString" as const, value: "back soon" } };
    const expected = { type: "response", status: 503, body: "back soon" };
    expect(outcome({ case: "directResponse", value: { status: 503, body } })).toEqual(expected);
    expect(outcome({ case: "directResponse", value: { status: 204 } })).toMatchObject({ status: 204, body: "" });
  });

  test("forwards to its cluster, or to the cluster in a header", () => {
    const targets = [{ cluster: "a", share: 1 }];
    expect(forward({ case: "cluster", value: "a" })).toEqual({ type: "forwarded", targets });
    expect(forward({ case: "clusterHeader", value: "x-to" }, { "x-to": "a" })).toEqual({ type: "forwarded", targets });
    expect(forward({ case: "clusterHeader", value: "x-to" })).toMatchObject({ type: "refused", status: 503 });
  });

  test("forwards to several clusters by weight", () => {
    const clusters = [
      { name: "a", weight: 60 },
      { clusterHeader: "x-to", weight: 20 },
      { name: "c", weight: 0 },
    ];
    expect(forward({ case: "weightedClusters", value: { clusters } }, { "x-to": "b" })).toEqual({
      type: "forwarded",
      targets: [
        { cluster: "a", share: 0.75 },
        { cluster: "b", share: 0.25 },
      ],
    });
  });

  test("without any weight is refused", () => {
    const clusters = [{ name: "a", weight: 0 }, { name: "b" }];
    const expected = { type: "refused", reason: "no cluster of the route has a weight" };
    expect(forward({ case: "weightedClusters", value: { clusters } })).toMatchObject(expected);
  });

  test.each<[string, NonNullable<RouteInit["action"]>]>([
    ["a plugin", { case: "route", value: { clusterSpecifier: { case: "clusterSpecifierPlugin", value: "x" } } }],
    ["a filter", { case: "filterAction", value: {} }],
  ])("with %s has an unknown outcome", (_, action) => {
    expect(outcome(action).type).toBe("unknown");
  });

  test("of a gRPC server accepts the request", () => {
    expect(outcome({ case: "nonForwardingAction", value: {} }).type).toBe("accepted");
  });

  test.each<[string, NonNullable<RouteInit["action"]>]>([
    ["action", { case: undefined }],
    ["cluster", { case: "route", value: {} }],
  ])("without %s is refused", (_, action) => {
    expect(outcome(action).type).toBe("refused");
  });
});
