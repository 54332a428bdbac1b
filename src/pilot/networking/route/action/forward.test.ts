import { describe, expect, test } from "vitest";
import { RouteActionSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../../testing/envoy/decoded-resource.ts";
import { defaultMeshSettings as mesh } from "../../../model/mesh-settings.ts";
import { defaultRouteSettings as byDefault } from "../../../model/proxy/proxy-settings.ts";
import type { HeaderOperations, Rewrite } from "../../../model/traffic/virtual-service.ts";
import { forwardOf } from "./forward.ts";
import type { RouteTarget, TargetedForward } from "./targets.ts";

const untouched: HeaderOperations = {
  request: { set: [], add: [], remove: [] },
  response: { set: [], add: [], remove: [] },
};

function setting(name: string, value: string): HeaderOperations {
  return { ...untouched, request: { ...untouched.request, set: [[name, value]] } };
}

function target(changes: Partial<RouteTarget> = {}): RouteTarget {
  return { hostname: "cart.shop", subset: "", port: 80, hash: undefined, weight: 0, headers: untouched, ...changes };
}

function rewriting(path: Rewrite["path"], authority = ""): Rewrite {
  return { path, authority };
}

/** The action as an Envoy reads it. */
function forwarded(changes: Partial<TargetedForward> = {}, headers = untouched, settings = byDefault): unknown {
  const writer = new ProtoWriter();
  const action: TargetedForward = {
    type: "forward",
    destinations: [target()],
    mirrors: [],
    rewrite: rewriting({ type: "none" }),
    timeout: undefined,
    retries: undefined,
    sticky: false,
    ...changes,
  };
  return decodedMessage(
    RouteActionSchema,
    writer.encode(RouteActionSchema, forwardOf(action, headers, { mesh, settings }, writer)),
  );
}

test("by default a request is forwarded unchanged, retried where that is safe, and has no timeout", () => {
  expect(forwarded()).toMatchObject({
    cluster: "outbound|80||cart.shop",
    timeout: "0s",
    maxGrpcTimeout: "0s",
    retryPolicy: { numRetries: 2 },
  });
  expect(forwarded()).not.toHaveProperty("prefixRewrite");
});

test("a timeout also applies to gRPC calls", () => {
  expect(forwarded({ timeout: { seconds: 3n, nanos: 0 } })).toMatchObject({ timeout: "3s", maxGrpcTimeout: "3s" });
});

test("a path is rewritten as a prefix, or by a regex", () => {
  expect(forwarded({ rewrite: rewriting({ type: "prefix", value: "/new" }) })).toMatchObject({ prefixRewrite: "/new" });
  const regex = rewriting({ type: "regex", pattern: "^/a(.*)$", substitution: "\\1" });
  expect(forwarded({ rewrite: regex })).toMatchObject({
    regexRewrite: { pattern: { regex: "^/a(.*)$" }, substitution: "\\1" },
  });
});

describe("the host of a request is", () => {
  const own = target({ headers: setting("host", "destination") });

  test.each<[string, Partial<TargetedForward>, HeaderOperations, string | undefined]>([
    [
      "that of the rewrite",
      { rewrite: rewriting({ type: "none" }, "rewrite"), destinations: [own] },
      setting("Host", "h"),
      "rewrite",
    ],
    ["else that of the route's headers", { destinations: [own] }, setting(":authority", "route"), "route"],
    ["else that of the only destination's headers", { destinations: [own] }, untouched, "destination"],
    ["else what the client wrote", {}, untouched, undefined],
  ])("%s", (_, changes, headers, host) => {
    expect((forwarded(changes, headers) as { hostRewriteLiteral?: string }).hostRewriteLiteral).toBe(host);
  });
});

test("each destination has its weight, headers and host; a destination without weight is omitted", () => {
  const destinations = [
    target({ subset: "v1", weight: 20, headers: setting("host", "one") }),
    target({ subset: "v2", weight: 30, headers: setting("x-v", "2") }),
    target({ subset: "v3", weight: 0 }),
  ];
  expect(forwarded({ destinations })).toMatchObject({
    weightedClusters: {
      clusters: [
        { name: "outbound|80|v1|cart.shop", weight: 20, hostRewriteLiteral: "one" },
        { name: "outbound|80|v2|cart.shop", weight: 30, requestHeadersToAdd: [{ header: { key: "x-v", value: "2" } }] },
      ],
    },
  });
});

test("a route with a rewrite forwards the original host if the proxy settings enable this", () => {
  const telling = { ...byDefault, appendsForwardedHost: true };
  const rewrite = rewriting({ type: "none" }, "other");
  expect(forwarded({ rewrite }, untouched, telling)).toMatchObject({ appendXForwardedHost: true });
  expect(forwarded({ rewrite })).not.toHaveProperty("appendXForwardedHost");
  expect(forwarded({}, untouched, telling)).not.toHaveProperty("appendXForwardedHost");
});
