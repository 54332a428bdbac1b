import { type DescMessage, fromJson, type JsonObject, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { type RouteConfiguration, RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { patchesWith } from "../../../testing/model/envoy-patches.ts";
import type { PatchOperation, PatchTarget } from "../../model/policy/envoy-patch.ts";
import { envoyRegistry } from "./envoy-registry.ts";
import { clusterIdentity } from "./match/match-cluster.ts";
import { patchCluster } from "./patch-cluster.ts";
import { managerIn } from "./patch-filters.ts";
import { patchListener } from "./patch-listener.ts";
import { patchRoutes } from "./patch-routes.ts";
import { PatchRun } from "./patch-run.ts";

const types = "type.googleapis.com/envoy.extensions.filters";
const manager = "envoy.filters.network.http_connection_manager";

function filter(name: string, type: string): JsonObject {
  return { name, typed_config: { "@type": `${types}.${type}` } };
}

const listener = {
  name: "0.0.0.0_80",
  address: { socket_address: { address: "0.0.0.0", port_value: 80 } },
  listener_filters: [
    filter("tls", "listener.tls_inspector.v3.TlsInspector"),
    filter("http", "listener.http_inspector.v3.HttpInspector"),
  ],
  filter_chains: [
    {
      name: "web",
      filter_chain_match: { server_names: ["a.example.com"], transport_protocol: "tls", application_protocols: ["h2"] },
      filters: [
        {
          name: manager,
          typed_config: {
            "@type": `${types}.network.http_connection_manager.v3.HttpConnectionManager`,
            stat_prefix: "web",
            http_filters: [filter("cors", "http.cors.v3.Cors"), filter("router", "http.router.v3.Router")],
          },
        },
      ],
    },
    {
      name: "tcp",
      filters: [filter("rbac", "network.rbac.v3.RBAC"), filter("proxy", "network.tcp_proxy.v3.TcpProxy")],
    },
  ],
};
const routes = {
  name: "80",
  virtual_hosts: [
    {
      name: "one",
      domains: ["one"],
      routes: [
        { name: "first", route: { cluster: "a" } },
        { name: "second", redirect: {} },
      ],
    },
    { name: "two", domains: ["two"], routes: [{ name: "third", route: { cluster: "b" } }] },
  ],
};

/** Values that each target accepts. All of them are called `new`. */
const values: Readonly<Record<string, JsonObject>> = {
  CLUSTER: { alt_stat_name: "new" },
  LISTENER: { stat_prefix: "new" },
  LISTENER_FILTER: { ...filter("new", "listener.tls_inspector.v3.TlsInspector") },
  FILTER_CHAIN: { name: "new", filters: [filter("echo", "network.echo.v3.Echo")] },
  NETWORK_FILTER: { ...filter("new", "network.rbac.v3.RBAC") },
  HTTP_FILTER: { ...filter("new", "http.cors.v3.Cors") },
  ROUTE_CONFIGURATION: { response_headers_to_remove: ["new"] },
  VIRTUAL_HOST: { name: "new" },
  HTTP_ROUTE: { name: "new" },
};

/** A match of one item of each target, and of none. */
const items: Readonly<Record<string, (found: boolean) => JsonObject>> = {
  CLUSTER: (found) => ({ cluster: { service: found ? "a.shop" : "b.shop" } }),
  LISTENER: (found) => ({ listener: { portNumber: found ? 80 : 81 } }),
  LISTENER_FILTER: (found) => ({ listener: { listenerFilter: found ? "tls" : "none" } }),
  FILTER_CHAIN: (found) => ({ listener: { filterChain: { name: found ? "web" : "none" } } }),
  NETWORK_FILTER: (found) => ({ listener: { filterChain: { filter: { name: found ? "rbac" : "none" } } } }),
  HTTP_FILTER: (found) => ({
    listener: { filterChain: { filter: { name: manager, subFilter: { name: found ? "cors" : "none" } } } },
  }),
  ROUTE_CONFIGURATION: (found) => ({ routeConfiguration: { name: found ? "80" : "81" } }),
  VIRTUAL_HOST: (found) => ({ routeConfiguration: { vhost: { name: found ? "one" : "none" } } }),
  HTTP_ROUTE: (found) => ({
    routeConfiguration: { vhost: { name: "one", route: { name: found ? "first" : "none" } } },
  }),
};

function read<Desc extends DescMessage>(schema: Desc, json: JsonValue): MessageShape<Desc> {
  return fromJson(schema, json, { registry: envoyRegistry() });
}

/** The resources after a patch, as short texts. */
function outcome(target: string, operation: string, match: JsonObject): string {
  const patches = patchesWith({ applyTo: target, match, patch: { operation, value: values[target] ?? {} } });
  const run = new PatchRun(patches, "SIDECAR_OUTBOUND", new ProtoWriter());
  if (target === "CLUSTER") {
    const cluster = read(ClusterSchema, { name: "outbound|80||a.shop" });
    return patchCluster(cluster, clusterIdentity(cluster.name), run) ? cluster.altStatName : "removed";
  }
  if (target.includes("ROUTE") || target === "VIRTUAL_HOST") {
    const message = read(RouteConfigurationSchema, routes);
    patchRoutes(message, { name: "80", context: "SIDECAR_OUTBOUND", servicePorts: new Map() }, run);
    return routesText(message);
  }
  const message = read(ListenerSchema, listener);
  if (!patchListener(message, "SIDECAR_OUTBOUND", run)) return "removed";
  return target === "LISTENER" ? message.statPrefix : listenerText(message, target);
}

function routesText({ virtualHosts, responseHeadersToRemove }: RouteConfiguration): string {
  const hosts = virtualHosts.map(({ name, routes: all }) => `${name}:${all.map((route) => route.name).join()}`);
  return [...hosts, ...responseHeadersToRemove].join(" ");
}

function names(all: readonly { readonly name: string }[]): string {
  return all.map(({ name }) => name).join();
}

function listenerText({ listenerFilters, filterChains }: Listener, target: string): string {
  if (target === "LISTENER_FILTER") return names(listenerFilters);
  if (target === "FILTER_CHAIN") return names(filterChains);
  if (target === "NETWORK_FILTER") return filterChains.map(({ filters }) => names(filters)).join(" ");
  return names(filterChains.flatMap(({ filters }) => filters.flatMap((each) => managerIn(each)?.httpFilters ?? [])));
}

const operations: readonly PatchOperation[] = [
  "MERGE",
  "MERGE_AND_REPLACE_LIST",
  "ADD",
  "REMOVE",
  "INSERT_FIRST",
  "INSERT_BEFORE",
  "INSERT_AFTER",
  "REPLACE",
];

type Cell = { readonly before: string } & Partial<Record<PatchOperation, string>>;

/** By target: the resource without the patch, then after each operation on the matched item. */
const matched: Readonly<Record<string, Cell>> = {
  CLUSTER: { before: "", MERGE: "new", MERGE_AND_REPLACE_LIST: "new", REMOVE: "removed" },
  LISTENER: { before: "", MERGE: "new", MERGE_AND_REPLACE_LIST: "new", REMOVE: "removed" },
  LISTENER_FILTER: {
    before: "tls,http",
    MERGE: "new,http",
    ADD: "tls,http,new",
    REMOVE: "http",
    INSERT_FIRST: "new,tls,http",
    INSERT_BEFORE: "new,tls,http",
    INSERT_AFTER: "tls,new,http",
    REPLACE: "new,http",
  },
  FILTER_CHAIN: {
    before: "web,tcp",
    MERGE: "new,tcp",
    MERGE_AND_REPLACE_LIST: "new,tcp",
    ADD: "web,tcp,new",
    REMOVE: "tcp",
    INSERT_FIRST: "web,tcp,new",
    INSERT_BEFORE: "web,tcp,new",
    INSERT_AFTER: "web,tcp,new",
  },
  NETWORK_FILTER: {
    before: `${manager} rbac,proxy`,
    MERGE: `${manager} new,proxy`,
    ADD: `${manager},new rbac,proxy,new`,
    REMOVE: `${manager} proxy`,
    INSERT_FIRST: `new,${manager} new,rbac,proxy`,
    INSERT_BEFORE: `${manager} new,rbac,proxy`,
    INSERT_AFTER: `${manager} rbac,new,proxy`,
    REPLACE: `${manager} new,proxy`,
  },
  HTTP_FILTER: {
    before: "cors,router",
    MERGE: "new,router",
    ADD: "cors,router,new",
    REMOVE: "router",
    INSERT_FIRST: "new,cors,router",
    INSERT_BEFORE: "new,cors,router",
    INSERT_AFTER: "cors,new,router",
    REPLACE: "new,router",
  },
  ROUTE_CONFIGURATION: {
    before: "one:first,second two:third",
    MERGE: "one:first,second two:third new",
    MERGE_AND_REPLACE_LIST: "one:first,second two:third new",
  },
  VIRTUAL_HOST: {
    before: "one:first,second two:third",
    MERGE: "new:first,second two:third",
    MERGE_AND_REPLACE_LIST: "new:first,second two:third",
    ADD: "one:first,second two:third new:",
    REMOVE: "two:third",
    INSERT_FIRST: "one:first,second two:third new:",
    INSERT_BEFORE: "one:first,second two:third new:",
    INSERT_AFTER: "one:first,second two:third new:",
    REPLACE: "new: two:third",
  },
  HTTP_ROUTE: {
    before: "one:first,second two:third",
    MERGE: "one:new,second two:third",
    MERGE_AND_REPLACE_LIST: "one:new,second two:third",
    ADD: "one:first,second,new two:third",
    REMOVE: "one:second two:third",
    INSERT_FIRST: "one:new,first,second two:third",
    INSERT_BEFORE: "one:new,first,second two:third",
    INSERT_AFTER: "one:first,new,second two:third",
  },
};

/** Operations that do not look for an item, so that they succeed without one. */
const without: Readonly<Record<string, Partial<Record<PatchOperation, string>>>> = {
  LISTENER_FILTER: { ADD: "tls,http,new", INSERT_FIRST: "new,tls,http" },
  FILTER_CHAIN: {
    ADD: "web,tcp,new",
    INSERT_FIRST: "web,tcp,new",
    INSERT_BEFORE: "web,tcp,new",
    INSERT_AFTER: "web,tcp,new",
  },
  NETWORK_FILTER: { ADD: `${manager},new rbac,proxy,new`, INSERT_FIRST: `new,${manager} new,rbac,proxy` },
  HTTP_FILTER: { ADD: "cors,router,new", INSERT_FIRST: "new,cors,router" },
  VIRTUAL_HOST: {
    ADD: "one:first,second two:third new:",
    INSERT_FIRST: "one:first,second two:third new:",
    INSERT_BEFORE: "one:first,second two:third new:",
    INSERT_AFTER: "one:first,second two:third new:",
  },
  HTTP_ROUTE: { ADD: "one:first,second,new two:third" },
};

const cells = Object.keys(values).flatMap((target) => operations.map((operation) => ({ target, operation })));

describe.each(cells)("$operation of $target", ({ target, operation }) => {
  const cell: Cell = matched[target] ?? { before: "" };
  const { before, ...after } = cell;
  const context = "SIDECAR_OUTBOUND";
  const item = items[target] ?? (() => ({}));

  test("changes the item that it matches, in its own context and in any", () => {
    expect(outcome(target, operation, { context, ...item(true) })).toBe(after[operation] ?? before);
    expect(outcome(target, operation, item(true))).toBe(after[operation] ?? before);
  });

  test.each(["SIDECAR_INBOUND", "GATEWAY"])("changes nothing in the context %s", (other) => {
    expect(outcome(target, operation, { context: other, ...item(true) })).toBe(before);
  });

  test("without an item to match changes only what it adds", () => {
    expect(outcome(target, operation, { context, ...item(false) })).toBe(without[target]?.[operation] ?? before);
  });
});

test("every target and every operation is in the table", () => {
  const elsewhere: readonly PatchTarget[] = ["EXTENSION_CONFIG", "BOOTSTRAP"];
  expect(cells).toHaveLength((11 - elsewhere.length) * operations.length);
});
