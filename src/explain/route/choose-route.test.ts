import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type HeaderMatcherSchema,
  type RouteMatchSchema,
  VirtualHostSchema,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { StringMatcherSchema } from "#gen/envoy/type/matcher/v3/string_pb.js";
import { anyPath, type Literal, type RouteInit, toyRoute } from "../../testing/envoy/toy-envoy-config.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { chooseRoute } from "./choose-route.ts";

type Match = Literal<typeof RouteMatchSchema>;

function choose(routes: readonly RouteInit[], changes: Partial<SimulatedRequest> = {}) {
  const request = { host: "shop.example.com", port: 80, path: "/", method: "GET", headers: {}, ...changes };
  return chooseRoute(create(VirtualHostSchema, { name: "shop", routes: [...routes] }), request);
}

/** Why the only route was taken, or what it missed. */
function judge(match: Match, changes: Partial<SimulatedRequest>): readonly [taken: boolean, why: string | undefined] {
  const stage = choose([toyRoute("a", match)], changes);
  if (stage.type === "chosen") return [true, stage.step.why];
  return [false, stage.type === "refused" ? stage.passedOver[0]?.why : undefined];
}

function path(type: "path" | "prefix" | "pathSeparatedPrefix", value: string): Match {
  return { pathSpecifier: { case: type, value } };
}

function pathRegex(regex: string): Match {
  return { pathSpecifier: { case: "safeRegex", value: { regex } } };
}

describe("a route by its path", () => {
  test.each<[string, Match, Partial<SimulatedRequest>, boolean, string]>([
    ["exact, query aside", path("path", "/x"), { path: "/x?q" }, true, "path is /x"],
    ["exact and longer", path("path", "/x"), { path: "/x/y" }, false, "path is not /x"],
    ["a prefix", path("prefix", "/x"), { path: "/xyz" }, true, "path starts with /x"],
    ["another prefix", path("prefix", "/x"), { path: "/y" }, false, "path does not start with /x"],
    ["every path", anyPath, { path: "/y" }, true, "it takes every request"],
    ["a prefix of whole parts", path("pathSeparatedPrefix", "/x"), { path: "/x/y" }, true, "path is under /x"],
    ["a part of a part", path("pathSeparatedPrefix", "/x"), { path: "/xy" }, false, "path is not under /x"],
    ["case", path("prefix", "/X"), { path: "/x" }, false, "path does not start with /X"],
    ["any case", { ...path("path", "/X"), caseSensitive: false }, { path: "/x" }, true, "path is /X"],
    ["a whole regex", pathRegex("/i/[0-9]+"), { path: "/i/7" }, true, "path matches /i/[0-9]+"],
    ["a part of a regex", pathRegex("/i"), { path: "/i/7" }, false, "path does not match /i"],
    ["RE2's case flag", pathRegex("(?i)/I"), { path: "/i" }, true, "path matches (?i)/I"],
    ["RE2's named group", pathRegex("/(?P<n>i)"), { path: "/i" }, true, "path matches /(?P<n>i)"],
    ["a needless backslash", pathRegex("/a\\-b"), { path: "/a-b" }, true, "path matches /a\\-b"],
    ["an invalid regex", pathRegex("("), { path: "/" }, false, "path does not match ("],
    [
      "CONNECT",
      { pathSpecifier: { case: "connectMatcher", value: {} } },
      { method: "CONNECT" },
      true,
      "method is CONNECT",
    ],
    [
      "an extension",
      { pathSpecifier: { case: "pathMatchPolicy", value: {} } },
      {},
      false,
      "the path match of an extension is not known here",
    ],
  ])("%s", (_, match, changes, taken, why) => {
    expect(judge(match, changes)).toEqual([taken, why]);
  });
});

type Header = Literal<typeof HeaderMatcherSchema>;
type Text = NonNullable<Literal<typeof StringMatcherSchema>["matchPattern"]>;

function text(matchPattern: Text, ignoreCase = false): Header {
  return { name: "x", headerMatchSpecifier: { case: "stringMatch", value: { matchPattern, ignoreCase } } };
}

function oldForm(headerMatchSpecifier: NonNullable<Header["headerMatchSpecifier"]>): Header {
  return { name: "x", headerMatchSpecifier };
}

describe("a route by its headers", () => {
  const ann = text({ case: "exact", value: "ann" });
  test.each<[string, Header, string | undefined, boolean, string]>([
    ["the wanted value", ann, "ann", true, "header x is ann"],
    ["another value", ann, "bob", false, "header x is not ann"],
    ["no value", ann, undefined, false, "header x is missing"],
    ["any case", text({ case: "exact", value: "ANN" }, true), "ann", true, "header x is ANN"],
    ["a start", text({ case: "prefix", value: "a" }), "ann", true, "header x starts with a"],
    ["an end", text({ case: "suffix", value: "a" }), "ann", false, "header x does not end with a"],
    ["a part", text({ case: "contains", value: "n" }), "ann", true, "header x contains n"],
    ["a regex", text({ case: "safeRegex", value: { regex: "a.*" } }), "ann", true, "header x matches a.*"],
    ["an empty value", text({ case: "exact", value: "" }), "", true, "header x is empty"],
    ["an extension", text({ case: "custom", value: {} }), "ann", false, "header x is not known here"],
    ["presence", { name: "x" }, "ann", true, "header x is present"],
    ["absence", oldForm({ case: "presentMatch", value: false }), undefined, true, "header x is missing"],
    ["the contrary", { ...ann, invertMatch: true }, "bob", true, "header x is not ann"],
    ["the inverse of the value", { ...ann, invertMatch: true }, "ann", false, "header x is ann"],
    ["the inverse of a missing header", { ...ann, invertMatch: true }, undefined, false, "header x is missing"],
    [
      "the inverse of a missing header that counts as empty",
      { ...ann, invertMatch: true, treatMissingHeaderAsEmpty: true },
      undefined,
      true,
      "header x is not ann",
    ],
    ["the inverse of presence", { name: "x", invertMatch: true }, "ann", false, "header x is present"],
    ["a number", oldForm({ case: "rangeMatch", value: { start: 1n, end: 5n } }), "4", true, "header x is in 1…4"],
    [
      "a number out of range",
      oldForm({ case: "rangeMatch", value: { end: 5n } }),
      "5",
      false,
      "header x is not in 0…4",
    ],
    ["no number", oldForm({ case: "rangeMatch", value: { end: 5n } }), "x", false, "header x is not in 0…4"],
    ["the old exact", oldForm({ case: "exactMatch", value: "ann" }), "ann", true, "header x is ann"],
    ["the old prefix", oldForm({ case: "prefixMatch", value: "a" }), "ann", true, "header x starts with a"],
    ["the old suffix", oldForm({ case: "suffixMatch", value: "n" }), "ann", true, "header x ends with n"],
    ["the old part", oldForm({ case: "containsMatch", value: "z" }), "ann", false, "header x does not contain z"],
    [
      "the old regex",
      oldForm({ case: "safeRegexMatch", value: { regex: "a" } }),
      "ann",
      false,
      "header x does not match a",
    ],
  ])("%s", (_, matcher, value, taken, why) => {
    const headers: Record<string, string> = value === undefined ? {} : { x: value };
    expect(judge({ ...anyPath, headers: [matcher] }, { headers })).toEqual([taken, why]);
  });

  test("a header with the name of an Object.prototype property counts as missing", () => {
    expect(judge({ ...anyPath, headers: [{ name: "constructor" }] }, {})).toEqual([
      false,
      "header constructor is missing",
    ]);
  });

  test.each([
    [":method", "method is GET"],
    [":authority", "authority is shop.example.com"],
    [":scheme", "scheme is http"],
    [":path", "path is /x?y"],
  ])("%s is one of them", (name, why) => {
    const value = why.slice(why.lastIndexOf(" ") + 1);
    const matcher = { ...text({ case: "exact", value }), name };
    expect(judge({ ...anyPath, headers: [matcher] }, { path: "/x?y" })).toEqual([true, why]);
  });
});

function query(matchPattern: Text): Match {
  const specifier = { case: "stringMatch" as const, value: { matchPattern } };
  return { ...anyPath, queryParameters: [{ name: "q", queryParameterMatchSpecifier: specifier }] };
}

describe("a route by other criteria", () => {
  const withCertificate = { protocol: "tls", clientCertificate: true } as const;
  test.each<[string, Match, Partial<SimulatedRequest>, boolean, string]>([
    ["a parameter", query({ case: "exact", value: "1" }), { path: "/?q=1" }, true, "query parameter q is 1"],
    ["another value", query({ case: "exact", value: "1" }), { path: "/?q=2" }, false, "query parameter q is not 1"],
    ["no parameter", query({ case: "exact", value: "1" }), { path: "/" }, false, "query parameter q is missing"],
    [
      "an extension",
      query({ case: "custom", value: {} }),
      { path: "/?q=2" },
      false,
      "query parameter q is not known here",
    ],
    [
      "a parameter of any value",
      { ...anyPath, queryParameters: [{ name: "q" }] },
      { path: "/?q" },
      true,
      "query parameter q is present",
    ],
    [
      "gRPC",
      { ...anyPath, grpc: {} },
      { headers: { "content-type": "application/grpc+proto" } },
      true,
      "it is a gRPC call",
    ],
    ["no gRPC", { ...anyPath, grpc: {} }, {}, false, "it is not a gRPC call"],
    [
      "a certificate",
      { ...anyPath, tlsContext: { presented: true } },
      withCertificate,
      true,
      "a client certificate is present",
    ],
    ["no certificate", { ...anyPath, tlsContext: { validated: true } }, {}, false, "a client certificate is missing"],
    [
      "metadata of a filter",
      { ...anyPath, dynamicMetadata: [{ filter: "jwt" }] },
      {},
      false,
      "metadata of jwt is not known here",
    ],
  ])("%s", (_, match, changes, taken, why) => {
    expect(judge(match, changes)).toEqual([taken, why]);
  });
});

describe("among routes", () => {
  const routes = [toyRoute("b", path("prefix", "/api")), { name: "empty" }, { ...toyRoute("a"), name: "" }];

  test("the first matching route is chosen, and the routes before it are listed", () => {
    expect(choose(routes, { path: "/api/x" })).toMatchObject({ step: { name: "to b", passedOver: [] } });
    expect(choose(routes, { path: "/web" })).toMatchObject({
      step: {
        name: "routes[2]",
        passedOver: [
          { name: "to b", why: "path does not start with /api" },
          { name: "empty", why: "it matches nothing" },
        ],
      },
    });
  });

  test("a virtual host with a matcher tree has an unknown outcome", () => {
    const host = create(VirtualHostSchema, { name: "shop", matcher: {} });
    const stage = chooseRoute(host, { host: "shop", port: 80, path: "/", method: "GET", headers: {} });
    expect(stage.type).toBe("unknown");
  });
});
