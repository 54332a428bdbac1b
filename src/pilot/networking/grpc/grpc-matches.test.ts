import { describe, expect, test } from "vitest";
import { fakeMatch } from "../../../testing/model/traffic.ts";
import type { HttpMatch } from "../../model/traffic/virtual-service.ts";
import { grpcMatchesOf } from "./grpc-matches.ts";

const everything = fakeMatch({ uri: { type: "prefix", value: "/" } });

function matches(changes: Partial<HttpMatch>): readonly HttpMatch[] {
  return grpcMatchesOf({ ...everything, ...changes }, ["cart.shop", "cart.shop:80"]);
}

describe("conditions that gRPC clients cannot see are evaluated beforehand", () => {
  test.each<[string, Partial<HttpMatch>]>([
    ["a call is a POST", { method: { type: "exact", value: "POST" } }],
    ["over plain HTTP", { scheme: { type: "prefix", value: "http" } }],
    ["to that host", { authority: { type: "exact", value: "cart.shop" } }],
    ["perhaps with its port", { authority: { type: "regex", value: "cart\\.shop:\\d+" } }],
    ["and always has a method", { method: { type: "present" } }],
  ])("%s", (_, condition) => {
    expect(matches(condition)).toEqual([everything]);
  });

  test.each<[string, Partial<HttpMatch>]>([
    ["never a GET", { method: { type: "exact", value: "GET" } }],
    ["never over TLS", { scheme: { type: "exact", value: "https" } }],
    ["never to another host", { authority: { type: "prefix", value: "pay" } }],
    [
      "never with a token that was looked into",
      { headers: [{ name: "@request.auth.claims.a", match: { type: "present" } }] },
    ],
    ["never with a query", { queryParams: [{ name: "q", match: { type: "present" } }] }],
    ["and matches nothing that only Envoy can read", { authority: { type: "regex", value: "(?i)CART.*" } }],
  ])("%s", (_, condition) => {
    expect(matches(condition)).toEqual([]);
  });
});

test("headers have lower-case names", () => {
  const [only] = matches({ headers: [{ name: "X-User", match: { type: "present" } }] });
  expect(only?.headers).toEqual([{ name: "x-user", match: { type: "present" } }]);
});

test("a header that must not have a value is missing, or has another one", () => {
  const off = { name: "x-beta", match: { type: "exact", value: "off" } } as const;
  const gone = { name: "x-old", match: { type: "present" } } as const;
  const missing = { name: "x-beta", match: { type: "present" } };
  expect(matches({ withoutHeaders: [off, gone] }).map(({ withoutHeaders }) => withoutHeaders)).toEqual([
    [missing, gone],
    [off, gone],
  ]);
  expect(matches({ withoutHeaders: [off, off] })).toHaveLength(4);
});

test("a prefix of segments is that path, or one below it", () => {
  expect(matches({ uri: { type: "segments", value: "/shop.Cart" } }).map(({ uri }) => uri)).toEqual([
    { type: "exact", value: "/shop.Cart" },
    { type: "prefix", value: "/shop.Cart/" },
  ]);
});

test("a match that excludes a JWT claim accepts all calls", () => {
  const claim = { name: "@request.auth.claims[a]", match: { type: "present" } } as const;
  expect(matches({ withoutHeaders: [claim] })).toEqual([everything]);
});
