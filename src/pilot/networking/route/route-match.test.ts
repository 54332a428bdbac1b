import { expect, test } from "vitest";
import { RouteMatchSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fakeMatch } from "../../../testing/model/traffic.ts";
import type { HttpMatch, NamedMatch } from "../../model/traffic/virtual-service.ts";
import { pathPatternOf, routeMatchOf } from "./route-match.ts";

/** As an Envoy reads it. */
function matched(changes: Partial<HttpMatch>): unknown {
  return decodedMessage(RouteMatchSchema, new ProtoWriter().encode(RouteMatchSchema, routeMatchOf(fakeMatch(changes))));
}

const is = (name: string, value: string): NamedMatch => ({ name, match: { type: "exact", value } });
const isThere = (name: string): NamedMatch => ({ name, match: { type: "present" } });

test.each<[string, HttpMatch["uri"], object, string]>([
  ["everything", { type: "present" }, { prefix: "/" }, "/*"],
  ["a path", { type: "exact", value: "/a" }, { path: "/a" }, "/a"],
  ["a prefix", { type: "prefix", value: "/a" }, { prefix: "/a" }, "/a*"],
  ["a prefix of segments", { type: "segments", value: "/a" }, { pathSeparatedPrefix: "/a" }, "/*"],
  ["a regex", { type: "regex", value: "/a.*" }, { safeRegex: { regex: "/a.*" } }, "/a.*"],
])("a path is matched by %s, and the span is named after the match", (_, uri, specifier, pattern) => {
  expect(matched({ uri })).toEqual({ ...specifier, caseSensitive: true });
  expect(pathPatternOf(fakeMatch({ uri }))).toBe(pattern);
});

test("a route without a match accepts everything, and sets no case option", () => {
  expect(routeMatchOf(undefined)).toEqual({ pathSpecifier: { case: "prefix", value: "/" } });
});

test("matching ignores case where the author sets this", () => {
  expect(matched({ ignoreUriCase: true })).toMatchObject({ caseSensitive: false });
});

test("headers are sorted by name, positive and negative matches together, and pseudo-headers last", () => {
  const match = {
    headers: [is("b", "1"), isThere("d")],
    withoutHeaders: [is("a", "2"), isThere("c")],
    method: { type: "exact", value: "GET" },
    authority: { type: "prefix", value: "shop" },
    scheme: { type: "regex", value: "https?" },
  } as const;
  expect(matched(match)).toMatchObject({
    headers: [
      // A request without the header also lacks its value.
      { name: "a", stringMatch: { exact: "2" }, invertMatch: true, treatMissingHeaderAsEmpty: true },
      { name: "b", stringMatch: { exact: "1" } },
      { name: "c", presentMatch: true, invertMatch: true },
      { name: "d", presentMatch: true },
      { name: ":method", stringMatch: { exact: "GET" } },
      { name: ":authority", stringMatch: { prefix: "shop" } },
      { name: ":scheme", stringMatch: { safeRegex: { regex: "https?" } } },
    ],
  });
});

test("query parameters are matched like headers", () => {
  expect(matched({ queryParams: [is("a", "1"), isThere("b")] })).toMatchObject({
    queryParameters: [
      { name: "a", stringMatch: { exact: "1" } },
      { name: "b", presentMatch: true },
    ],
  });
});

test("a JWT claim matches as a string, or as an item of a list", () => {
  const value = {
    orMatch: {
      valueMatchers: [{ listMatch: { oneOf: { stringMatch: { exact: "x" } } } }, { stringMatch: { exact: "x" } }],
    },
  };
  const filter = "envoy.filters.http.jwt_authn";
  const headers = [is("@request.auth.claims.group.id", "x")];
  const withoutHeaders = [isThere("@request.auth.claims[a.b][c]")];
  expect(matched({ headers, withoutHeaders })).toEqual({
    prefix: "/",
    caseSensitive: true,
    dynamicMetadata: [
      { filter, path: [{ key: "payload" }, { key: "group" }, { key: "id" }], value },
      { filter, path: [{ key: "payload" }, { key: "a.b" }, { key: "c" }], value: { presentMatch: true }, invert: true },
    ],
  });
});
