import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import {
  RedirectAction_RedirectResponseCode,
  type RouteSchema,
  VirtualHost_TlsRequirementType,
} from "#gen/envoy/config/route/v3/route_components_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ProxyConfig } from "./explain.ts";
import { explain } from "./explain.ts";
import type { Request } from "./request.ts";

type RouteInit = MessageInitShape<typeof RouteSchema>;

function listenerOn(port: number) {
  const manager = create(HttpConnectionManagerSchema, {
    routeSpecifier: { case: "rds", value: { routeConfigName: "http" } },
  });
  return create(ListenerSchema, {
    name: `0.0.0.0_${port}`,
    address: { address: { case: "socketAddress", value: { portSpecifier: { case: "portValue", value: port } } } },
    filterChains: [
      { filters: [{ configType: { case: "typedConfig", value: anyPack(HttpConnectionManagerSchema, manager) } }] },
    ],
  });
}

function endpoint(address: string, port: number) {
  const value = { address, portSpecifier: { case: "portValue" as const, value: port } };
  const socket = { address: { case: "socketAddress" as const, value } };
  return { hostIdentifier: { case: "endpoint" as const, value: { address: socket } } };
}

/** One listener on port 80, clusters `a` and `b`, and the given hosts. */
function config(hosts: Readonly<Record<string, readonly RouteInit[]>>): ProxyConfig {
  const virtualHosts = Object.entries(hosts).map(([domain, routes]) => ({
    name: domain,
    domains: [domain],
    routes: [...routes],
  }));
  return {
    listeners: [listenerOn(80)],
    routes: [create(RouteConfigurationSchema, { name: "http", virtualHosts, ignorePortInHostMatching: true })],
    clusters: ["a", "b"].map((name) => create(ClusterSchema, { name })),
    endpoints: [
      create(ClusterLoadAssignmentSchema, {
        clusterName: "a",
        endpoints: [{ lbEndpoints: [endpoint("10.0.0.2", 8080), endpoint("10.0.0.1", 8080)] }],
      }),
    ],
  };
}

function request(changes: Partial<Request> = {}): Request {
  return { port: 80, host: "shop.example.com", path: "/", method: "GET", headers: {}, ...changes };
}

/** A route to a cluster for everything that `match` accepts. */
function to(cluster: string, match: RouteInit["match"] = { pathSpecifier: { case: "prefix", value: "/" } }): RouteInit {
  return { name: `to ${cluster}`, match, action: { case: "route", value: clusterAction(cluster) } };
}

function clusterAction(cluster: string) {
  return { clusterSpecifier: { case: "cluster" as const, value: cluster } };
}

function clusterFor(proxy: ProxyConfig, asked: Request): string | undefined {
  const { outcome } = explain(proxy, asked);
  return outcome.type === "forwarded" ? outcome.targets[0]?.cluster : undefined;
}

function exactly(value: string) {
  return { case: "stringMatch" as const, value: { matchPattern: { case: "exact" as const, value } } };
}

describe("explain", () => {
  test("names every decision on the way and the endpoints at its end", () => {
    const { steps, outcome } = explain(config({ "shop.example.com": [to("a")] }), request());
    expect(steps).toEqual([
      { type: "listener", name: "0.0.0.0_80" },
      { type: "route configuration", name: "http" },
      { type: "virtual host", name: "shop.example.com" },
      { type: "route", name: "to a" },
      { type: "cluster", name: "a", endpoints: ["10.0.0.1:8080", "10.0.0.2:8080"] },
    ]);
    expect(outcome).toEqual({ type: "forwarded", targets: [{ cluster: "a", share: 1 }] });
  });

  test.each([
    ["shop.example.com", "exact"],
    ["SHOP.example.com:8443", "exact"],
    ["other.example.com", "suffix"],
    ["deep.other.example.com", "suffix"],
    ["example.com", "any"],
    ["shop.net", "prefix"],
  ])("a request for %s is served by the %s domain", (host, expected) => {
    const names = {
      "shop.example.com": "exact",
      "*.example.com": "suffix",
      "*.com": "any",
      "shop.*": "prefix",
      "*": "any",
    };
    const hosts = Object.fromEntries(Object.entries(names).map(([domain, name]) => [domain, [{ ...to("a"), name }]]));
    const { steps } = explain(config(hosts), request({ host }));
    expect(steps.find(({ type }) => type === "route")?.name).toBe(expected);
  });

  test("the first route that matches wins", () => {
    const api = to("b", { pathSpecifier: { case: "prefix", value: "/api" } });
    const proxy = config({ "*": [api, to("a")] });
    expect(clusterFor(proxy, request({ path: "/api/x?y=1" }))).toBe("b");
    expect(clusterFor(proxy, request({ path: "/web" }))).toBe("a");
  });

  test.each<[string, RouteInit["match"], Partial<Request>, boolean]>([
    ["an exact path", { pathSpecifier: { case: "path", value: "/x" } }, { path: "/x?q" }, true],
    ["a longer path", { pathSpecifier: { case: "path", value: "/x" } }, { path: "/x/y" }, false],
    ["any case", { pathSpecifier: { case: "prefix", value: "/X" }, caseSensitive: false }, { path: "/xy" }, true],
    ["a whole regex", { pathSpecifier: { case: "safeRegex", value: { regex: "/i/[0-9]+" } } }, { path: "/i/7" }, true],
    ["a part of a regex", { pathSpecifier: { case: "safeRegex", value: { regex: "/i" } } }, { path: "/i/7" }, false],
  ])("%s is judged as Envoy would", (_, match, changes, expected) => {
    expect(clusterFor(config({ "*": [to("a", match)] }), request(changes))).toBe(expected ? "a" : undefined);
  });

  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ["the wanted value", { "x-user": "ann" }, true],
    ["another value", { "x-user": "bob" }, false],
    ["no value", {}, false],
  ])("a header with %s", (_, headers, expected) => {
    const match = {
      pathSpecifier: { case: "prefix" as const, value: "/" },
      headers: [{ name: "x-user", headerMatchSpecifier: exactly("ann") }],
    };
    expect(clusterFor(config({ "*": [to("a", match)] }), request({ headers }))).toBe(expected ? "a" : undefined);
  });

  test.each([
    [true, "a"],
    [false, undefined],
  ])(
    "a missing header fits an inverted match only if it counts as empty (%s)",
    (treatMissingHeaderAsEmpty, expected) => {
      const header = {
        name: "x-bot",
        headerMatchSpecifier: exactly("1"),
        invertMatch: true,
        treatMissingHeaderAsEmpty,
      };
      const match = { pathSpecifier: { case: "prefix" as const, value: "/" }, headers: [header] };
      expect(clusterFor(config({ "*": [to("a", match)] }), request())).toBe(expected);
    },
  );

  test("weights become shares", () => {
    const clusters = [
      { name: "a", weight: 60 },
      { name: "b", weight: 20 },
    ];
    const value = { clusterSpecifier: { case: "weightedClusters" as const, value: { clusters } } };
    const match = { pathSpecifier: { case: "prefix" as const, value: "/" } };
    const { outcome } = explain(config({ "*": [{ match, action: { case: "route", value } }] }), request());
    expect(outcome).toEqual({
      type: "forwarded",
      targets: [
        { cluster: "a", share: 0.75 },
        { cluster: "b", share: 0.25 },
      ],
    });
  });

  test("a redirect says where the client is sent", () => {
    const value = {
      hostRedirect: "www.example.com",
      portRedirect: 8443,
      schemeRewriteSpecifier: { case: "schemeRedirect" as const, value: "https" },
      pathRewriteSpecifier: { case: "prefixRewrite" as const, value: "/new" },
      responseCode: RedirectAction_RedirectResponseCode.FOUND,
    };
    const match = { pathSpecifier: { case: "prefix" as const, value: "/old" } };
    const proxy = config({ "*": [{ match, action: { case: "redirect", value } }] });
    expect(explain(proxy, request({ path: "/old/x" })).outcome).toEqual({
      type: "redirect",
      status: 302,
      location: "https://www.example.com:8443/new/x",
    });
  });

  test("a host that demands TLS redirects before it routes", () => {
    const proxy = config({ "*": [to("a")] });
    for (const host of proxy.routes.flatMap(({ virtualHosts }) => virtualHosts)) {
      host.requireTls = VirtualHost_TlsRequirementType.ALL;
    }
    expect(explain(proxy, request({ path: "/x" })).outcome).toEqual({
      type: "redirect",
      status: 301,
      location: "https://shop.example.com/x",
    });
  });

  test.each<[string, Readonly<Record<string, readonly RouteInit[]>>, Partial<Request>]>([
    ["nobody listens on port 81", { "*": [to("a")] }, { port: 81 }],
    ["no virtual host serves shop.example.com", { "x.net": [to("a")] }, {}],
    ["no route matches", { "*": [] }, {}],
    ["there is no cluster c", { "*": [to("c")] }, {}],
  ])("a request is refused because %s", (reason, hosts, changes) => {
    expect(explain(config(hosts), request(changes)).outcome).toEqual({ type: "refused", reason });
  });
});
