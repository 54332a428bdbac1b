import { create, type DescMessage } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { FilterChainSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { RouteSchema, VirtualHost_TlsRequirementType } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { HTTPFaultSchema } from "#gen/envoy/extensions/filters/http/fault/v3/fault_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { DownstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { configId } from "../config/config.ts";
import {
  anyPath,
  assignmentOf,
  type ChainInit,
  endpointAt,
  httpChain,
  type Literal,
  listenerOn,
  type RouteInit,
  routesFor,
  tcpChain,
  toyCluster,
  toyRoute,
  typed,
} from "../testing/envoy/toy-envoy-config.ts";
import { messageArbitrary } from "../testing/random/message-arbitrary.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { explain, type ProxyConfig } from "./explain.ts";
import type { RequestOutcome } from "./explanation.ts";
import type { SimulatedRequest } from "./simulated-request.ts";

/** One listener on port 80 with the given chain, and clusters `a` and `b`, of which `a` has endpoints. */
function proxyWith(chain: ChainInit, hosts: Readonly<Record<string, readonly RouteInit[]>> = {}): ProxyConfig {
  return {
    listeners: [listenerOn("0.0.0.0", 80, { filterChains: [chain] })],
    routes: [routesFor("http", hosts)],
    clusters: [toyCluster("a"), toyCluster("b")],
    endpoints: [assignmentOf("a", [endpointAt("10.0.0.2", 8080), endpointAt("10.0.0.1", 8080)])],
  };
}

function request(changes: Partial<SimulatedRequest> = {}): SimulatedRequest {
  return { port: 80, host: "shop.example.com", path: "/", method: "GET", headers: {}, ...changes };
}

function outcomeFor(proxy: ProxyConfig, changes: Partial<SimulatedRequest> = {}): RequestOutcome {
  return explain(proxy, request(changes)).outcome;
}

function anyOf<Desc extends DescMessage>(desc: Desc): fc.Arbitrary<Literal<Desc>> {
  return messageArbitrary(desc, 3).map((literal) => literal as Literal<Desc>);
}

const https = { transportSocket: typed(DownstreamTlsContextSchema) };

describe("explain", () => {
  test("lists every decision with its reason, and the endpoints at the end", () => {
    const secret = { ...toyRoute("b", { ...anyPath, headers: [{ name: "x-secret" }] }), name: "secret" };
    const config = proxyWith(httpChain("http"), { "shop.example.com": [secret, toyRoute("a")] });
    const shared = { notes: [], passedOver: [], owners: [] };
    const plain = { transport: "plaintext", priority: 0 };
    expect(explain(config, request())).toEqual({
      steps: [
        { ...shared, type: "listener", name: "0.0.0.0_80", why: "it takes port 80 on every address" },
        { ...shared, type: "filter chain", name: "filterChains[0]", why: "it takes every connection" },
        { ...shared, type: "route configuration", name: "http", why: "the listener asks for it by name" },
        { ...shared, type: "virtual host", name: "shop.example.com", why: "shop.example.com is one of its domains" },
        {
          ...shared,
          type: "route",
          name: "to a",
          why: "it takes every request",
          passedOver: [{ name: "secret", why: "header x-secret is missing" }],
        },
        {
          ...shared,
          type: "cluster",
          name: "a",
          share: 1,
          why: "all requests go there",
          endpoints: [
            { ...plain, address: "10.0.0.1:8080" },
            { ...plain, address: "10.0.0.2:8080" },
          ],
        },
      ],
      outcome: { type: "forwarded", targets: [{ cluster: "a", share: 1 }] },
      decidedBy: [],
    });
  });

  test("names the owners of a resource, and for a route the object in its metadata", () => {
    const config = "/apis/networking.istio.io/v1/namespaces/shop/virtual-service/front";
    const metadata = { filterMetadata: { istio: { config } } };
    const proxy: ProxyConfig = {
      ...proxyWith(httpChain("http"), { "*": [{ ...toyRoute("a"), metadata }] }),
      ownersOf: (type, name) => [configId("Owner", type, name)],
    };
    expect(explain(proxy, request()).steps.map(({ type, owners }) => [type, ...owners])).toEqual([
      ["listener", "Owner/listener/0.0.0.0_80"],
      ["filter chain"],
      ["route configuration", "Owner/route/http"],
      ["virtual host"],
      ["route", "VirtualService/shop/front"],
      ["cluster", "Owner/cluster/a", "Owner/endpoint/a"],
    ]);
  });

  test("a TCP proxy forwards to its clusters by weight", () => {
    const config = proxyWith(tcpChain("a"));
    expect(outcomeFor(config, { protocol: "tcp" })).toEqual({
      type: "forwarded",
      targets: [{ cluster: "a", share: 1 }],
    });
    expect(outcomeFor(config).type).toBe("forwarded");
  });

  test("a failing cluster fails only its share of the requests", () => {
    const clusters = [
      { name: "a", weight: 3 },
      { name: "b", weight: 1 },
      { name: "c", weight: 0 },
    ];
    const value = { clusterSpecifier: { case: "weightedClusters" as const, value: { clusters } } };
    const config = proxyWith(httpChain("http"), { "*": [{ match: anyPath, action: { case: "route", value } }] });
    expect(outcomeFor(config)).toEqual({
      type: "forwarded",
      targets: [
        { cluster: "a", share: 0.75 },
        { cluster: "b", share: 0.25, problem: "has no endpoints" },
      ],
    });
  });

  test("a virtual host that requires TLS redirects plaintext before it routes", () => {
    const config = proxyWith(httpChain("http"), { "*": [toyRoute("a")] });
    for (const host of config.routes.flatMap(({ virtualHosts }) => virtualHosts)) {
      host.requireTls = VirtualHost_TlsRequirementType.ALL;
    }
    const location = "https://shop.example.com/x";
    expect(outcomeFor(config, { path: "/x" })).toEqual({ type: "redirect", status: 301, location });
    const behindTls = { ...config, listeners: proxyWith(httpChain("http", https)).listeners };
    expect(outcomeFor(behindTls, { protocol: "tls" }).type).toBe("forwarded");
  });

  test.each([
    { percent: 100, outcome: { type: "response", status: 418, body: "fault filter abort" } },
    { percent: 99, outcome: { type: "forwarded", targets: [{ cluster: "a", share: 1 }] } },
  ])(
    "an abort fault for $percent % of the requests has the outcome: $outcome.type",
    ({ percent: numerator, outcome }) => {
      const abort = { errorType: { case: "httpStatus", value: 418 }, percentage: { numerator } } as const;
      const fault = anyPack(HTTPFaultSchema, create(HTTPFaultSchema, { abort }));
      const route = { ...toyRoute("a"), typedPerFilterConfig: { "envoy.filters.http.fault": fault } };
      expect(outcomeFor(proxyWith(httpChain("http"), { "shop.example.com": [route] }))).toEqual(outcome);
    },
  );

  test("a proxyless gRPC client finds its routes by the dialled name", () => {
    const routeSpecifier = { case: "rds" as const, value: { routeConfigName: "http" } };
    const manager = typed(HttpConnectionManagerSchema, { routeSpecifier }).configType.value;
    const name = "reviews.shop.svc.cluster.local:9080";
    const listener = listenerOn("", 0, { name, apiListener: { apiListener: manager } });
    const config = {
      ...proxyWith({}, { [name]: [toyRoute("a")], "reviews:9080": [toyRoute("a")] }),
      listeners: [listener],
    };
    config.routes.forEach((routes) => (routes.ignorePortInHostMatching = false));
    expect(outcomeFor(config, { host: name, port: 9080 }).type).toBe("forwarded");
    expect(outcomeFor(config, { host: "reviews:9080", port: 9080 }).type).toBe("forwarded");
    expect(outcomeFor(config, { host: "ratings:9080", port: 9080 })).toMatchObject({
      reason: "there is no listener ratings:9080",
    });
  });
});

describe("a request is refused", () => {
  const http = httpChain("http");
  test.each<[string, ProxyConfig, Partial<SimulatedRequest>, number | undefined]>([
    ["no listener on port 81", proxyWith(http), { port: 81 }, undefined],
    ["no virtual host of http serves shop.example.com", proxyWith(http, { "x.net": [toyRoute("a")] }), {}, 404],
    ["no route of * matches", proxyWith(http, { "*": [] }), {}, 404],
    ["cluster c does not exist", proxyWith(http, { "*": [toyRoute("c")] }), {}, 503],
    ["cluster b has no endpoints", proxyWith(http, { "*": [toyRoute("b")] }), {}, 503],
    ["cluster b has no endpoints", proxyWith(tcpChain("b")), { protocol: "tcp" }, undefined],
    ["the filter chain serves HTTP, and the client does not speak it", proxyWith(http), { protocol: "tcp" }, undefined],
    [
      "the handshake fails: the filter chain serves plaintext, and the client speaks TLS",
      proxyWith(http),
      { protocol: "tls" },
      undefined,
    ],
    [
      "the filter chain requires TLS, and the client speaks plaintext",
      proxyWith(httpChain("http", https)),
      {},
      undefined,
    ],
    [
      "the handshake fails: the filter chain requires a client certificate, and the client presents none",
      proxyWith(
        httpChain("http", { transportSocket: typed(DownstreamTlsContextSchema, { requireClientCertificate: true }) }),
      ),
      { protocol: "tls" },
      undefined,
    ],
    [
      "there is no route configuration other, so the listener does not start",
      proxyWith(httpChain("other")),
      {},
      undefined,
    ],
  ])("because %s", (reason, config, changes, status) => {
    const expected = status === undefined ? { type: "refused", reason } : { type: "refused", reason, status };
    const { passedOver: _, ...outcome } = { passedOver: [], ...outcomeFor(config, changes) };
    expect(outcome).toEqual(expected);
  });
});

describe("for any configuration", () => {
  const requests = fc.record({
    port: fc.constant(80),
    host: fc.constantFrom("a", "a.b:80", "10.0.0.1", "", "[::1]:80"),
    path: fc.constantFrom("/", "/a?b=c", "", "?"),
    method: fc.constantFrom("GET", "CONNECT"),
    headers: fc.dictionary(fc.constantFrom("a", "b"), fc.string()),
    direction: fc.constantFrom("outbound" as const, "inbound" as const, "gateway" as const),
    protocol: fc.constantFrom("http" as const, "http2" as const, "tcp" as const, "tls" as const),
  });

  test("explain returns plain data and never throws", () => {
    const routes = fc.array(anyOf(RouteSchema), { minLength: 1, maxLength: 4 });
    const chains = fc.array(anyOf(FilterChainSchema), { maxLength: 3 });
    const property = fc.property(requests, routes, chains, anyOf(ClusterSchema), (asked, some, others, cluster) => {
      const proxy = proxyWith(httpChain("http"), { "*": some });
      const trafficDirection = TrafficDirection.INBOUND;
      const filterChains = [httpChain("http"), ...others];
      const listeners = [...proxy.listeners, listenerOn("10.0.0.1", 80, { trafficDirection, filterChains })];
      const clusters = [create(ClusterSchema, { ...cluster, name: "a" })];
      const explanation = explain({ ...proxy, listeners, clusters }, asked);
      expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
    });
    fc.assert(property, { seed, numRuns: runs(40) });
  });
});
