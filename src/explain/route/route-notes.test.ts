import { create, fromBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  type RouteActionSchema,
  RouteSchema,
  VirtualHostSchema,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import { HTTPFaultSchema } from "#gen/envoy/extensions/filters/http/fault/v3/fault_pb.js";
import { FractionalPercent_DenominatorType as Per } from "#gen/envoy/type/v3/percent_pb.js";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { defaultMeshSettings as mesh } from "../../pilot/model/mesh-settings.ts";
import { defaultRouteSettings as settings } from "../../pilot/model/proxy/proxy-settings.ts";
import type { Backend } from "../../pilot/model/traffic/virtual-service.ts";
import { buildRoutes } from "../../pilot/networking/route/build-routes.ts";
import { selectRoutes } from "../../pilot/networking/route/select-routes.ts";
import type { Literal } from "../../testing/envoy/toy-envoy-config.ts";
import { fakeVirtualService, forwardTo, mirrorTo } from "../../testing/model/traffic.ts";
import { notesOf } from "./route-notes.ts";

type Action = Literal<typeof RouteActionSchema>;

const noTimeout = { timeout: { seconds: 0n, nanos: 0 } };
const prefix = { pathSpecifier: { case: "prefix" as const, value: "/api/" } };
const exact = { pathSpecifier: { case: "path" as const, value: "/api/v1" } };

const host = create(VirtualHostSchema);
const request = { host: "shop", port: 80, path: "/api/v1?q=1", method: "GET", headers: {} };

function routeWith(value: Action, match: typeof prefix | typeof exact = prefix) {
  return create(RouteSchema, { match, action: { case: "route", value } });
}

function fault(init: Literal<typeof HTTPFaultSchema>) {
  return { "envoy.filters.http.fault": anyPack(HTTPFaultSchema, create(HTTPFaultSchema, init)) };
}

/** The notes, without the note about a missing timeout. */
function notesFor(value: Action, match: typeof prefix | typeof exact = prefix): readonly string[] {
  const notes = notesOf(routeWith({ ...noTimeout, ...value }, match), host, request);
  return notes.filter((note) => note !== "no timeout");
}

describe("the notes of a route", () => {
  test.each<[string, Action, string]>([
    ["a prefix", { prefixRewrite: "/" }, "the path becomes /v1?q=1"],
    [
      "a regex",
      { regexRewrite: { pattern: { regex: "/v([0-9])" }, substitution: "/version-\\1" } },
      "the path becomes /api/version-1?q=1",
    ],
    ["an extension", { pathRewritePolicy: {} }, "an extension rewrites the path"],
    ["a host", { hostRewriteSpecifier: { case: "hostRewriteLiteral", value: "b" } }, "the host becomes b"],
    [
      "a host by endpoint",
      { hostRewriteSpecifier: { case: "autoHostRewrite", value: { value: true } } },
      "the host becomes the name of the endpoint",
    ],
    [
      "a host by header",
      { hostRewriteSpecifier: { case: "hostRewriteHeader", value: "x-host" } },
      "the host becomes the value of header x-host",
    ],
    [
      "a host by path",
      { hostRewriteSpecifier: { case: "hostRewritePathRegex", value: {} } },
      "the host is derived from the path",
    ],
    ["a timeout", { timeout: { seconds: 1n, nanos: 500_000_000 } }, "timeout 1.5s"],
    ["retries", { retryPolicy: { numRetries: 2, retryOn: "5xx,reset" } }, "up to 2 retries on 5xx, reset"],
    [
      "a retry by status",
      { retryPolicy: { retryOn: "retriable-status-codes", retriableStatusCodes: [503, 429] } },
      "up to 1 retry on retriable-status-codes (503, 429)",
    ],
    [
      "a time for each try",
      { retryPolicy: { numRetries: 3, retryOn: "5xx", perTryTimeout: { seconds: 2n, nanos: 0 } } },
      "up to 3 retries on 5xx, 2s for each try",
    ],
    ["a mirror", { requestMirrorPolicies: [{ cluster: "b" }] }, "a copy of 100% goes to b"],
    [
      "a mirror of a part",
      {
        requestMirrorPolicies: [
          { clusterHeader: "x-to", runtimeFraction: { defaultValue: { numerator: 5000, denominator: Per.MILLION } } },
        ],
      },
      "a copy of 0.5% goes to the cluster in header x-to",
    ],
    [
      "a hash of a header",
      { hashPolicy: [{ policySpecifier: { case: "header", value: { headerName: "x-user" } } }] },
      "requests stay with an endpoint by header x-user",
    ],
    [
      "a hash of a cookie",
      { hashPolicy: [{ policySpecifier: { case: "cookie", value: { name: "session" } } }] },
      "requests stay with an endpoint by cookie session",
    ],
    [
      "a hash of a query parameter",
      { hashPolicy: [{ policySpecifier: { case: "queryParameter", value: { name: "q" } } }] },
      "requests stay with an endpoint by query parameter q",
    ],
    [
      "a hash of the address",
      { hashPolicy: [{ policySpecifier: { case: "connectionProperties", value: { sourceIp: true } } }] },
      "requests stay with an endpoint by the client's address",
    ],
    [
      "a host for one of several clusters",
      {
        clusterSpecifier: {
          case: "weightedClusters",
          value: {
            clusters: [{ name: "a" }, { name: "b", hostRewriteSpecifier: { case: "hostRewriteLiteral", value: "c" } }],
          },
        },
      },
      "the host becomes c for b",
    ],
  ])("%s", (_, action, expected) => {
    expect(notesFor(action)).toEqual([expected]);
  });

  test("a rewrite of the whole path keeps only the query", () => {
    expect(notesFor({ prefixRewrite: "/new" }, exact)).toEqual(["the path becomes /new?q=1"]);
  });

  test.each<[string, Action, readonly string[]]>([
    ["0 is none", noTimeout, ["no timeout"]],
    ["a stream duration is a timeout", { maxStreamDuration: { maxStreamDuration: { seconds: 2n } } }, ["timeout 2s"]],
    ["no timeout gives no note", {}, []],
  ])("timeouts: %s", (_, value, expected) => {
    expect(notesOf(routeWith(value), host, request)).toEqual(expected);
  });
});

describe("faults", () => {
  const percentage = { numerator: 125, denominator: Per.TEN_THOUSAND };
  const delay = { faultDelaySecifier: { case: "fixedDelay", value: { seconds: 3n, nanos: 0 } }, percentage } as const;

  test.each<[string, Literal<typeof HTTPFaultSchema>, readonly string[]]>([
    ["a delay", { delay }, ["a fault delays 1.25% by 3s"]],
    [
      "an abort",
      { abort: { errorType: { case: "httpStatus", value: 418 }, percentage: { numerator: 10 } } },
      ["a fault aborts 10% with status 418"],
    ],
    [
      "both",
      { delay, abort: { errorType: { case: "grpcStatus", value: 14 }, percentage: { numerator: 100 } } },
      ["a fault delays 1.25% by 3s", "a fault aborts 100% with gRPC status 14"],
    ],
    [
      "without a percentage",
      { abort: { errorType: { case: "httpStatus", value: 500 } } },
      ["a fault aborts 0% with status 500"],
    ],
    [
      "as headers say",
      {
        delay: { faultDelaySecifier: { case: "headerDelay", value: {} } },
        abort: { errorType: { case: "headerAbort", value: {} } },
      },
      ["a fault delays 0% by a time from a header", "a fault aborts 0% with a status from a header"],
    ],
  ])("%s", (_, init, expected) => {
    const route = create(RouteSchema, { typedPerFilterConfig: fault(init) });
    expect(notesOf(route, host, request)).toEqual(expected);
  });

  test("of a route override those of its virtual host", () => {
    const slowHost = create(VirtualHostSchema, { typedPerFilterConfig: fault({ delay }) });
    const abort = { errorType: { case: "httpStatus", value: 500 }, percentage: { numerator: 1 } } as const;
    const route = create(RouteSchema, { typedPerFilterConfig: fault({ abort }) });
    expect(notesOf(route, slowHost, request)).toEqual(["a fault aborts 1% with status 500"]);
    expect(notesOf(create(RouteSchema), slowHost, request)).toEqual(["a fault delays 1.25% by 3s"]);
  });
});

test("the settings of a virtual service appear in the notes of its generated route", () => {
  const fraction = { numerator: 5700, denominator: 1_000_000 } as const;
  const abort = { status: { type: "grpc", code: 14 }, fraction } as const;
  const delay = { duration: { seconds: 2n, nanos: 0 }, fraction } as const;
  const forward = forwardTo("cart.shop", 80, { mirrors: [mirrorTo("shadow.shop")] });
  const virtualService = fakeVirtualService({ http: [{ ...forward, fault: { delay, abort } }] });
  const selected = selectRoutes(virtualService, { port: 80, gateway: "mesh", labels: {}, namespace: "web" });
  const inputs = {
    virtualService,
    selected,
    listenPort: 80,
    tls: false,
    mesh,
    settings,
    resolve: ({ hostname }: Backend) => ({ hostname, port: 80, hash: undefined }),
  };
  const routes = buildRoutes(inputs, new ProtoWriter()).map(({ bytes }) => fromBinary(RouteSchema, bytes));
  expect(routes.map((route) => notesOf(route, host, request))).toEqual([
    [
      "a fault delays 0.57% by 2s",
      "a fault aborts 0.57% with gRPC status 14",
      "no timeout",
      "up to 2 retries on connect-failure, refused-stream, unavailable, cancelled, retriable-status-codes",
      "a copy of 100% goes to outbound|80||shadow.shop",
    ],
  ]);
});
