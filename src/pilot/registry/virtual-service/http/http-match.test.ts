import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { HTTPMatchRequestSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { HttpMatch } from "../../../model/traffic/virtual-service.ts";
import type { RouteSource } from "../route-source.ts";
import { httpMatchOf } from "./http-match.ts";

function matchOf(
  init: MessageInitShape<typeof HTTPMatchRequestSchema>,
  prefixes: RouteSource["prefixes"] = "texts",
): HttpMatch {
  return httpMatchOf(create(HTTPMatchRequestSchema, init), { namespace: "shop", domain: "cluster.local", prefixes });
}

const prefix = (value: string) => ({ uri: { matchType: { case: "prefix", value } } }) as const;

test.each<[string, string, HttpMatch["uri"]]>([
  ["ends with a segment", "/cart", { type: "segments", value: "/cart" }],
  ["leaves out the slash at its end", "/cart/", { type: "segments", value: "/cart" }],
  ["of everything stays one of a text", "/", { type: "prefix", value: "/" }],
  ["that Envoy would not take for segments stays one of a text", "/a?b", { type: "prefix", value: "/a?b" }],
])("the prefix of an Ingress %s", (_, value, uri) => {
  expect(matchOf(prefix(value), "segments").uri).toEqual(uri);
});

test("other paths of an Ingress, and prefixes of other sources, are compared as strings", () => {
  expect(matchOf({ uri: { matchType: { case: "exact", value: "/cart" } } }, "segments").uri.type).toBe("exact");
  expect(matchOf(prefix("/cart")).uri).toEqual({ type: "prefix", value: "/cart" });
});

test("gateways have full names, headers are sorted, and unset fields are undefined", () => {
  const present = { matchType: { case: undefined } };
  const match = matchOf({ gateways: ["edge", "mesh", "a/b"], headers: { "x-b": present, "x-a": present } });
  expect(match.gateways).toEqual(["shop/edge", "mesh", "a/b"]);
  expect(match.headers.map(({ name }) => name)).toEqual(["x-a", "x-b"]);
  expect(match).toMatchObject({ uri: { type: "present" }, method: undefined, authority: undefined, scheme: undefined });
});
